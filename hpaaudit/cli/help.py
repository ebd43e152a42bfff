"""The command `help`."""

import click

from hpaaudit.cli.completion import commands


@click.command("help", short_help="Show the help of a command.")
@click.argument("command", metavar="[COMMAND]...", nargs=-1, shell_complete=commands)
def help_command(command: tuple[str, ...]) -> None:
    """Show the help of a command, as COMMAND --help does.

    Example: hpaaudit help replay
    """
    context = click.get_current_context().find_root()
    called: click.Command = context.command
    for word in command:
        if not isinstance(called, click.Group):
            raise click.UsageError(f"{context.info_name} has no command {word!r}", context)
        name, subcommand, _ = called.resolve_command(context, [word])
        if subcommand is None:
            raise click.UsageError(f"no command {word!r}")
        context, called = click.Context(subcommand, info_name=name, parent=context), subcommand
    click.echo(called.get_help(context))
