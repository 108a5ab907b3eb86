"""The adapters of translation services; what opens them is imported in ``load``."""

from __future__ import annotations

import importlib.util
import os
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from pydantic import SecretStr
from typing_extensions import TypeVar

from biascore.api.adapters import Adapter, ServiceOptions
from biascore.api.support import warn_if_readable
from biascore.errors import AuthError, MissingExtraError, OptionsError
from biascore_adapters.mt.options import AmazonOptions, DeepLOptions, GoogleOptions

if TYPE_CHECKING:
    from biascore.api.adapters import Backend, LoadContext, ModelRef

OptionsT = TypeVar("OptionsT", bound=ServiceOptions, default=Any)


class ServiceAdapter(Adapter[OptionsT]):
    """A translation service; ``packages`` are what the extra brings for it.

    Subclasses make the client in ``open``; nothing is sent by that.
    """

    answers_version: ClassVar[str | None] = "1"
    on_workers: ClassVar[bool] = False
    capabilities: ClassVar[frozenset[str]] = frozenset({"translate"})
    extra: ClassVar[str | None] = "mt"
    packages: ClassVar[tuple[str, ...]] = ("requests",)
    key_help: ClassVar[str] = ""
    sent_env_vars: ClassVar[tuple[str, ...]] = ()
    """What is sent to the server as it is; a key that only signs is not."""

    def check(self, ref: ModelRef, options: OptionsT, context: LoadContext) -> None:  # noqa: ARG002
        """Raise MissingExtraError, OptionsError for an address that is none, AuthError without a key."""
        if any(importlib.util.find_spec(package) is None for package in self.packages):
            raise MissingExtraError(f"{self.id}: models", "mt")
        server = getattr(options, "server", None)
        if server is not None:
            server_url(server, f"{self.id}: the option server")
        self.check_locator(ref)
        if self.key_help:
            self.key()
        for variable in self.sent_env_vars:
            warn_if_readable(server or ref.locator, variable)

    def load(self, ref: ModelRef, options: OptionsT, context: LoadContext) -> Backend:  # noqa: ARG002
        """The service, asked ``concurrency`` requests at a time."""
        backend = self.open(ref, options)
        backend.in_flight = options.concurrency
        return backend

    @abstractmethod
    def open(self, ref: ModelRef, options: OptionsT) -> Backend:
        """Make the client."""

    def check_locator(self, ref: ModelRef) -> None:
        """Raise OptionsError where a service that is one and the same for all is given a locator."""
        if ref.locator:
            raise OptionsError(
                f"{ref}: {self.id}: takes nothing behind the colon. Write {self.id}: and give the rest as options"
            )

    def key(self) -> SecretStr:
        """The key from the environment; raises AuthError naming the variable where there is none."""
        assert self.key_env_var is not None
        key = os.environ.get(self.key_env_var, "").strip()
        if not key:
            raise AuthError(
                f"{self.id}: needs a key, and the environment variable {self.key_env_var} is not set. {self.key_help}"
            )
        return SecretStr(key)


class DeepLAdapter(ServiceAdapter[DeepLOptions]):
    """Opens DeepL."""

    id: ClassVar[str] = "deepl"
    summary: ClassVar[str] = "translations by DeepL (paid)"
    example: ClassVar[str] = "deepl:"
    packages: ClassVar[tuple[str, ...]] = ("deepl", "requests")
    key_env_var: ClassVar[str | None] = "DEEPL_AUTH_KEY"
    sent_env_vars: ClassVar[tuple[str, ...]] = ("DEEPL_AUTH_KEY",)
    key_help: ClassVar[str] = "Get one at https://www.deepl.com/pro-api, and export DEEPL_AUTH_KEY=..."

    def open(self, ref: ModelRef, options: DeepLOptions) -> Backend:  # noqa: ARG002
        from biascore_adapters.mt.deepl import DeepLBackend

        return DeepLBackend(self.key(), options)


class GoogleAdapter(ServiceAdapter[GoogleOptions]):
    """Opens Google Cloud Translation, Basic edition (v2), which takes an API key."""

    id: ClassVar[str] = "google-translate"
    summary: ClassVar[str] = "translations by Google Cloud Translation (paid)"
    example: ClassVar[str] = "google-translate:"
    key_env_var: ClassVar[str | None] = "GOOGLE_API_KEY"
    sent_env_vars: ClassVar[tuple[str, ...]] = ("GOOGLE_API_KEY",)
    key_help: ClassVar[str] = (
        "Make one at https://console.cloud.google.com/apis/credentials, restricted to the Cloud Translation API, and "
        "export GOOGLE_API_KEY=..."
    )

    def open(self, ref: ModelRef, options: GoogleOptions) -> Backend:  # noqa: ARG002
        from biascore_adapters.mt.google import GoogleBackend

        return GoogleBackend(self.key(), options)


class AmazonAdapter(ServiceAdapter[AmazonOptions]):
    """Opens Amazon Translate; ``AWS_PROFILE`` may name the credentials instead of giving them."""

    id: ClassVar[str] = "amazon-translate"
    summary: ClassVar[str] = "translations by Amazon Translate (paid)"
    example: ClassVar[str] = "amazon-translate:"
    packages: ClassVar[tuple[str, ...]] = ("boto3", "requests")
    key_env_var: ClassVar[str | None] = "AWS_SECRET_ACCESS_KEY"
    secret_env_vars: ClassVar[tuple[str, ...]] = ("AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN")
    sent_env_vars: ClassVar[tuple[str, ...]] = ("AWS_SESSION_TOKEN",)

    def check(self, ref: ModelRef, options: AmazonOptions, context: LoadContext) -> None:
        """Raise as every service does, and OptionsError where nothing names a region."""
        super().check(ref, options, context)
        if os.environ.get("AWS_PROFILE"):
            return
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            if not os.environ.get(name, "").strip():
                raise AuthError(
                    f"{self.id}: needs a key, and the environment variable {name} is not set. Export AWS_ACCESS_KEY_ID "
                    "and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN, if it is a temporary one), or AWS_PROFILE"
                )
        if options.region is None and not os.environ.get("AWS_DEFAULT_REGION"):
            raise OptionsError(
                f"{self.id}: no region is named. Give the option region, such as region=eu-west-1, or export "
                "AWS_DEFAULT_REGION"
            )

    def open(self, ref: ModelRef, options: AmazonOptions) -> Backend:  # noqa: ARG002
        from biascore_adapters.mt.amazon import AmazonBackend

        return AmazonBackend(options)


class ServerAdapter(ServiceAdapter[ServiceOptions]):
    """A service at the address that its reference names."""

    def check_locator(self, ref: ModelRef) -> None:
        """Raise OptionsError for what is no address."""
        self.server(ref)

    def server(self, ref: ModelRef) -> str:
        """The address; raises OptionsError for what is none."""
        return server_url(ref.locator, f"{self.id}: the locator")


class ApertiumAdapter(ServerAdapter):
    """Opens a server of the Apertium API (apertium-apy) by its address."""

    id: ClassVar[str] = "apertium"
    summary: ClassVar[str] = "translations by an Apertium server (rule-based, free, your own)"
    example: ClassVar[str] = "apertium:http://localhost:2737"

    def open(self, ref: ModelRef, options: ServiceOptions) -> Backend:  # noqa: ARG002
        from biascore_adapters.mt.apertium import ApertiumBackend

        return ApertiumBackend(self.server(ref))


class LibreTranslateAdapter(ServerAdapter):
    """Opens a server of the LibreTranslate API by its address; a key is sent where there is one."""

    id: ClassVar[str] = "libretranslate"
    summary: ClassVar[str] = "translations by a LibreTranslate server, your own or a public one"
    example: ClassVar[str] = "libretranslate:http://localhost:5000"
    key_env_var: ClassVar[str | None] = "LIBRETRANSLATE_API_KEY"
    sent_env_vars: ClassVar[tuple[str, ...]] = ("LIBRETRANSLATE_API_KEY",)

    def open(self, ref: ModelRef, options: ServiceOptions) -> Backend:  # noqa: ARG002
        from biascore_adapters.mt.libretranslate import LibreTranslateBackend

        key = os.environ.get("LIBRETRANSLATE_API_KEY", "").strip()
        return LibreTranslateBackend(self.server(ref), SecretStr(key) if key else None)


def server_url(text: str, where: str) -> str:
    """The address without a slash at its end; raises OptionsError for what is none, or holds a password."""
    if "@" in text:  # and not repeated in the error, which goes into logs
        raise OptionsError(
            f"{where} holds a user name or password. Leave it out: addresses are kept in results, and keys belong "
            "into the environment"
        )
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if "?" in text or "#" in text:
        raise OptionsError(
            f"{where} has more behind the path, from '?' or '#'. Write it like http://localhost:5000: addresses are kept in "
            "results, and keys belong into the environment"
        )
    if not usable:
        raise OptionsError(f"{where} {text!r} is no server address. Write it like http://localhost:5000")
    return text.rstrip("/")


ADAPTERS: tuple[type[ServiceAdapter], ...] = (
    AmazonAdapter,
    ApertiumAdapter,
    DeepLAdapter,
    GoogleAdapter,
    LibreTranslateAdapter,
)
