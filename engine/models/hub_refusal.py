"""What a failed conversation with the model hub means, in a sentence that says what to do."""

from __future__ import annotations

import errno
import ssl

import httpx2
from huggingface_hub import constants
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from engine.errors import ModelUnavailable

FAILURES = (OSError, httpx2.HTTPError, httpx2.InvalidURL, HFValidationError)
"""What talking to the hub and writing files may raise."""


def explain(repository: str, revision: str, error: Exception) -> ModelUnavailable:
    """The refusal for one of FAILURES."""
    match error:
        case OfflineModeIsEnabled():
            reason = "HF_HUB_OFFLINE is set; unset it to download"
        case GatedRepoError():
            reason = (
                f"its makers ask for your consent. Accept their terms at {_page(repository)}, "
                "make a token at https://huggingface.co/settings/tokens and set HF_TOKEN to it"
            )
        case RevisionNotFoundError():
            reason = f"it has no revision {revision!r}; its page is {_page(repository)}"
        case RepositoryNotFoundError():
            reason = (
                f"{_host()} shows no such model. Check the spelling; "
                "a private one needs HF_TOKEN set to a token that may read it"
            )
        case HfHubHTTPError():
            reason = _explain_status(error.response.status_code)
        case httpx2.HTTPError() | httpx2.InvalidURL() | HFValidationError():
            reason = _explain_connection(error)
        case OSError():
            reason = _explain_disk(error)
        case _:
            reason = f"{type(error).__name__}: {error}"
    return ModelUnavailable(f"{repository} was not downloaded: {reason}.")


def _explain_status(status: int) -> str:
    match status:
        case 401:
            return "HF_TOKEN holds a token the hub refuses; make a new one or unset it"
        case 403:
            return "the hub does not let you read it; your token may lack the right to"
        case 429:
            return "the hub asks you to wait, too much was asked of it; try again in some minutes"
        case _ if status >= 500:
            return (
                f"{_host()} has trouble of its own (status {status}); "
                "try again, what is here already is kept"
            )
        case _:
            return f"{_host()} answered with status {status}"


def _explain_connection(error: Exception) -> str:
    if isinstance(error.__cause__, ssl.SSLError) or "CERTIFICATE_VERIFY_FAILED" in str(error):
        return (
            f"the certificate of {_host()} cannot be verified. Behind a company proxy, "
            "set SSL_CERT_FILE to its certificate"
        )
    return (
        f"{_host()} cannot be reached ({type(error).__name__}). "
        "Connect and try again, what is here already is kept"
    )


def _explain_disk(error: OSError) -> str:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return "the disk is full. Free some space and try again, what is here already is kept"
    place = f"{error.filename} cannot be written" if error.filename else "writing failed"
    return f"{place} ({error.strerror or error}). HF_HUB_CACHE may name another folder"


def _host() -> str:
    return constants.ENDPOINT


def _page(repository: str) -> str:
    return f"{constants.ENDPOINT}/{repository}"
