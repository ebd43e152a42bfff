"""The version of hpaaudit, installed or not."""

VERSION = "0.1.0"
