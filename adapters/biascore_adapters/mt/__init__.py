"""Translation services: ``deepl:``, ``google-translate:``, ``amazon-translate:``, ``libretranslate:``, ``apertium:``.

Every call is one request within the service's limits, so that what was paid for is kept when a later
request fails. Importing this package imports none of the services' libraries.
"""
