"""Azure's older addresses: they name the deployment of the model, and a version of the API."""

from dataclasses import replace
from urllib.parse import quote, urlsplit

from panto.llm.types import Endpoint

_DEPLOYMENTS = "/openai/deployments/"
_BY_DEPLOYMENT = frozenset({"openai-chat"})
"""Formats that are asked at an address of the deployment's own; the others name the model in the request alone."""


def versioned(endpoint: Endpoint, model: str, api_version: str) -> Endpoint:
    """The endpoint with Azure's older address for this model (there: the name of its deployment).

    A base address that holds a path of Azure's already is left as it is. These versions of the API know no key for the
    cache.
    """
    base = endpoint.base_url.rstrip("/")
    path = urlsplit(base).path
    if _DEPLOYMENTS not in path and "/openai/v1" not in f"{path}/":
        base = base.removesuffix("/openai")
        own = f"{_DEPLOYMENTS}{quote(model, safe='')}" if endpoint.api in _BY_DEPLOYMENT else "/openai"
        base += own
    query = {**endpoint.query, "api-version": api_version}
    return replace(endpoint, base_url=base, query=query, quirks=replace(endpoint.quirks, cache_key=False))
