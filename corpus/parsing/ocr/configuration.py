"""What an operator chose, handed to the child process that reads a file: it has no Django settings."""

from __future__ import annotations

import os
from typing import Any

ORDER = ("server", "easyocr", "rapidocr", "tesseract")


def environment() -> dict[str, str]:
    """The choices of the settings as environment variables for a child process."""
    from django.conf import settings

    from engines.registry import reader

    server = reader()
    return {
        "OCR_URL": server.base_url if server else "",
        "OCR_MODEL": server.model if server else "",
        "OCR_API_KEY": server.api_key if server else "",
        "OCR_TIMEOUT": str(server.timeout) if server else "",
        "POLYRAG_OCR_ENGINES": ",".join(settings.OCR_ENGINES),
    }


def order() -> list[str]:
    """The engines' names, the first choice first."""
    chosen = os.environ.get("POLYRAG_OCR_ENGINES", "")
    return [name.strip() for name in chosen.split(",") if name.strip()] or list(ORDER)


def server() -> dict[str, Any]:
    """Address, model, key and time limit (seconds) of the model server; no address when there is none."""
    return {
        "base_url": os.environ.get("OCR_URL", ""),
        "model": os.environ.get("OCR_MODEL", "") or "glm-ocr",
        "api_key": os.environ.get("OCR_API_KEY", ""),
        "timeout": float(os.environ.get("OCR_TIMEOUT", "") or 60),
    }
