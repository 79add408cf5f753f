"""Settings of the whole instance. Every value that an operator may change comes from the environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import django_stubs_ext
from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP

from polyrag_site import environment as env
from polyrag_site import sign_in

# Generic Django classes can be subscripted at run time too.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env.text("POLYRAG_DATA_DIR") or BASE_DIR / ".data").resolve()

DEBUG = env.flag("DJANGO_DEBUG", default=False)
SECRET_KEY = env.text("SECRET_KEY") or env.kept_secret(DATA_DIR / "secret-key")
# What an earlier key signed or encrypted is read still.
SECRET_KEY_FALLBACKS = env.words("SECRET_KEY_FALLBACKS", [])
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS", [])

INSTALLED_APPS = [
    "daphne",
    "polyrag_site",
    "eval",
    "retrieval",
    "corpus",
    "routing",
    "engines",
    "telemetry",
    "teams",
    "polyrag_site.apps.PolyragAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.postgres",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "django_htmx",
    "ninja",  # the assets of the API's own page
    "django_q",
    "channels",
    "channels_postgres",
]

MIDDLEWARE = [
    "teams.problem_middleware.ProblemMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "teams.token_middleware.TokenMiddleware",
    "teams.middleware.WorkspaceMiddleware",
    "engines.middleware.EnginesMiddleware",
]

ROOT_URLCONF = "polyrag_site.urls"
ASGI_APPLICATION = "polyrag_site.asgi.application"
AUTH_USER_MODEL = "teams.User"
# Where programs may show a service token instead of a session.
TOKEN_PATHS = ["/api/", "/mcp"]
# How much a workspace and one person in it may use, where no owner has set anything else; 0 is no limit.
QUOTAS = {
    whose: {
        "uploads": env.number(f"POLYRAG_{whose.upper()}_UPLOADS_PER_DAY", 0),
        "storage": env.number(f"POLYRAG_{whose.upper()}_STORAGE_MB", 0) * 1024 * 1024,
        "questions": env.number(f"POLYRAG_{whose.upper()}_QUESTIONS_PER_DAY", 0),
        "tokens": env.number(f"POLYRAG_{whose.upper()}_TOKENS_PER_MONTH", 0),
    }
    for whose in ("workspace", "person")
}
# Requests a minute of programs, by token (or person) and by address; 0 is no limit.
RATE_TOKEN = env.number("POLYRAG_RATE_PER_TOKEN", 300)
RATE_ADDRESS = env.number("POLYRAG_RATE_PER_ADDRESS", 1200)
URL_RIGHTS = "polyrag_site.url_rights.ASKED"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "chat"
LOGOUT_REDIRECT_URL = "login"

# Sign-in. Accounts come by invitation: `teams.adapters.AccountAdapter` opens the form to nobody else.
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_ADAPTER = "teams.adapters.AccountAdapter"
MFA_ADAPTER = "teams.adapters.SecondFactorAdapter"
SOCIALACCOUNT_ADAPTER = "teams.adapters.ProviderAdapter"
ACCOUNT_FORMS = {"login": "teams.forms.SignInForm", "signup": "teams.forms.SignUpForm"}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "PolyRAG: "
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_REAUTHENTICATION_REQUIRED = True
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "PolyRAG"
MFA_TOTP_TOLERANCE = 1
# Recovery codes are what gets a person back in, so an address need not be confirmed first.
MFA_ALLOW_UNVERIFIED_EMAIL = True
SOCIALACCOUNT_PROVIDERS = sign_in.oidc()
SOCIALACCOUNT_AUTO_SIGNUP = False
# An address that the provider names is no proof of who an account here belongs to.
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
SOCIALACCOUNT_OPENID_CONNECT_URL_PREFIX = "oidc"
ALLAUTH_TRUSTED_PROXY_COUNT = env.number("POLYRAG_PROXIES", 0)
# Any person may open a workspace of their own, or only the instance's staff.
WORKSPACES_BY_ANYBODY = env.flag("POLYRAG_WORKSPACES_BY_ANYBODY", default=True)

MAIL_CONFIGURED = bool(env.text("EMAIL_URL"))
MAILERS = sign_in.mailers(env.text("EMAIL_URL"))
# Running without mail is a choice that the pages tell of.
SILENCED_SYSTEM_CHECKS = [] if MAIL_CONFIGURED else ["mail.E001"]
DEFAULT_FROM_EMAIL = env.text("EMAIL_FROM", "polyrag@localhost")
ACCOUNT_EMAIL_VERIFICATION = "optional" if MAIL_CONFIGURED else "none"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.csp",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "teams.context.workspace",
            ],
        },
    }
]


EMBEDDED_POSTGRES = not env.text("DATABASE_URL")


def _database() -> dict[str, Any]:
    """The operator's PostgreSQL when `DATABASE_URL` is set, else the embedded one."""
    if not EMBEDDED_POSTGRES:
        return env.database(env.text("DATABASE_URL"))
    from polyrag_site.postgres import PostgresError, ensure_running

    try:
        return ensure_running(DATA_DIR / "postgres").django_database()
    except PostgresError as error:
        raise ImproperlyConfigured(str(error)) from error


# A generic plan for a vector search is frozen by server-side prepared statements (0.9 rows of 10
# found under a narrow filter), so they stay off.
_DATABASE = _database()
_DATABASE["OPTIONS"] = {"prepare_threshold": None, **_DATABASE.get("OPTIONS", {})}
_KEPT = {"CONN_MAX_AGE": 600, "CONN_HEALTH_CHECKS": True}
DATABASES: dict[str, dict[str, Any]] = {"default": {**_DATABASE, **_KEPT}}
# A streaming replica that searches are read from while it has all that was written (decision 0026).
DATABASE_ROUTERS = ["corpus.replica.Router"]
if _REPLICA_URL := env.text("DATABASE_REPLICA_URL"):
    _REPLICA = env.database(_REPLICA_URL, "DATABASE_REPLICA_URL")
    _REPLICA["OPTIONS"] = {"prepare_threshold": None, **_REPLICA["OPTIONS"]}
    DATABASES["replica"] = {**_REPLICA, **_KEPT, "TEST": {"MIRROR": "default"}}

READ_REPLICA = "replica" in DATABASES

# Redis only wakes open pages; nothing is kept in it (decision 0026).
REDIS_URL = env.redis("REDIS_URL")
CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "telemetry.redis_layer.ChannelLayer", "CONFIG": {"url": REDIS_URL}}
    if REDIS_URL
    else {
        "BACKEND": "telemetry.channel_layer.ChannelLayer",
        "CONFIG": {"PSYCOPG_OPTIONS": {"min_size": 1, "max_size": 8}},
    }
}

# Counts of attempts to sign in are shared by all web processes, and outlive a restart of anything.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "polyrag_cache",
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    }
}

Q_CLUSTER = {
    "name": "polyrag",
    "orm": "default",
    "workers": env.number("POLYRAG_WORKERS", 2),
    "recycle": 200,
    "timeout": 1800,
    "retry": 2000,
    "max_attempts": 3,
    "ack_failures": True,
    "poll": 0.3,
    "catch_up": False,
    "label": "Jobs",
}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("pt", "Português")]
# The second holds the words of django-allauth, whose European Portuguese is named pt_PT.
LOCALE_PATHS = [BASE_DIR / "locale", BASE_DIR / "locale_allauth"]
TIME_ZONE = env.text("TIME_ZONE", "UTC")
USE_I18N = True
USE_TZ = True

# Whole, since Django keeps what it was when first asked for: before any request has told the path in front.
STATIC_URL = f"{env.text('FORCE_SCRIPT_NAME').rstrip('/')}/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # whitenoise complains of a folder that is not there
WHITENOISE_USE_FINDERS = True
MEDIA_ROOT = DATA_DIR / "files"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

SECURE_CSP = {
    "default-src": [CSP.SELF],
    "script-src": [CSP.SELF, CSP.NONCE],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "connect-src": [CSP.SELF],
    "object-src": [CSP.NONE],
    "base-uri": [CSP.NONE],
    "form-action": [CSP.SELF, *sign_in.form_targets()],
    "frame-ancestors": [CSP.NONE],
}
HTTPS = env.flag("POLYRAG_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"
if FORCE_SCRIPT := env.text("FORCE_SCRIPT_NAME"):
    FORCE_SCRIPT_NAME = FORCE_SCRIPT

# Limits of an upload. They are checked before a byte is parsed.
UPLOAD_MAX_BYTES = env.number("POLYRAG_UPLOAD_MAX_MB", 50) * 1024 * 1024
QUESTION_MAX_CHARACTERS = 2_000
# A worker that has not renewed its lease for this long is taken for dead.
INGEST_LEASE_SECONDS = env.number("POLYRAG_LEASE_SECONDS", 60)
# So long a document waits in the trash before it goes for good.
TRASH_DAYS = env.number("POLYRAG_TRASH_DAYS", 30)
DATA_UPLOAD_MAX_NUMBER_FILES = 200
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440

# Engines. Without an address the embedded embedder answers and no generator is used.
POLYRAG_ENGINES: dict[str, dict[str, Any]] = {
    "embedder": {
        "base_url": env.text("EMBEDDER_URL"),
        "model": env.text("EMBEDDER_MODEL", "bge-m3"),
        "api_key": env.text("EMBEDDER_API_KEY"),
        "timeout": env.number("EMBEDDER_TIMEOUT", 60),
        # For a llama.cpp server with `--pooling none`: passages are embedded among their neighbours.
        "late_chunking": env.flag("EMBEDDER_LATE_CHUNKING", default=False),
        "context_tokens": env.number("EMBEDDER_CONTEXT_TOKENS", 8192),
    },
    "generator": {
        "base_url": env.text("GENERATOR_URL"),
        "model": env.text("GENERATOR_MODEL"),
        "api_key": env.text("GENERATOR_API_KEY"),
        "timeout": env.number("GENERATOR_TIMEOUT", 120),
        "context_tokens": env.number("GENERATOR_CONTEXT_TOKENS", 8192),
        # What a million tokens cost, read and written; nothing set: no cost is shown.
        "price_in": env.decimal("GENERATOR_PRICE_IN"),
        "price_out": env.decimal("GENERATOR_PRICE_OUT"),
        "currency": env.text("GENERATOR_PRICE_CURRENCY", "USD"),
        # local or remote; unset: told from the address.
        "place": env.choice("GENERATOR_PLACE", ("local", "remote")),
    },
    "reranker": {
        "base_url": env.text("RERANKER_URL"),
        "model": env.text("RERANKER_MODEL", "bge-reranker-v2-m3"),
        "api_key": env.text("RERANKER_API_KEY"),
        "timeout": env.number("RERANKER_TIMEOUT", 30),
    },
    # Says of each sentence that the generator wrote whether its sources state it.
    "verifier": {
        "base_url": env.text("VERIFIER_URL"),
        "model": env.text("VERIFIER_MODEL"),
        "api_key": env.text("VERIFIER_API_KEY"),
        "timeout": env.number("VERIFIER_TIMEOUT", 60),
    },
    # Scores answers in evaluations alone.
    "judge": {
        "base_url": env.text("JUDGE_URL"),
        "model": env.text("JUDGE_MODEL"),
        "api_key": env.text("JUDGE_API_KEY"),
        "timeout": env.number("JUDGE_TIMEOUT", 120),
    },
    "ocr": {
        "base_url": env.text("OCR_URL"),
        "model": env.text("OCR_MODEL", "glm-ocr"),
        "api_key": env.text("OCR_API_KEY"),
        "timeout": env.number("OCR_TIMEOUT", 60),
    },
}
# Model servers that `manage.py serve_models` runs, described in this TOML file.
SERVERS_FILE = env.text("POLYRAG_SERVERS")
# How many hits are reranked, the least score that is kept (the model's own scale; None keeps all), and how
# many stay whatever they score.
RERANKING: dict[str, Any] = {"top_k": 30, "min_score": None, "min_keep": 3}
# How many sentences of each passage a generator is given; 0 gives it whole passages.
GENERATOR_SENTENCES = env.number("GENERATOR_SENTENCES", 0)
# Hosts that databases of others may be attached from though they are this machine or reserved.
SOURCE_HOSTS = env.words("POLYRAG_SOURCE_HOSTS", [])
# A second search where the first found little (docs/decisions/0009-retry-and-reranker.md).
EVIDENCE_RETRY = env.flag("POLYRAG_EVIDENCE_RETRY", default=False)
# Who reads scanned pages: the first of these that is there and has weights for the page's language.
OCR_ENGINES = env.words("POLYRAG_OCR_ENGINES", ["server", "easyocr", "rapidocr", "tesseract"])
# Vectors of texts already embedded, kept on disk. Off unless set: evaluation and tests use it.
EMBEDDING_CACHE_DIR = env.text("POLYRAG_EMBEDDING_CACHE")

# What may leave for the operator's own tools: the text of questions in the log, and counts at /metrics.
LOG_QUESTIONS = env.flag("POLYRAG_LOG_QUESTIONS", default=False)
METRICS_TOKEN = env.text("POLYRAG_METRICS_TOKEN")

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
        "bare": {"format": "%(message)s"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "line"},
        "json": {"class": "logging.StreamHandler", "formatter": "bare"},
    },
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", "INFO")},
    "loggers": {
        "polyrag.questions": {"handlers": ["json"], "level": "INFO", "propagate": False},
        "channels_postgres": {"level": "ERROR"},
        "django-q": {"level": "WARNING"},
        "docling": {"level": "WARNING"},
        "RapidOCR": {"level": "WARNING"},
    },
}
