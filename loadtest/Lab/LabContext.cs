using Spectre.Console;

namespace DroneDelivery.Lab;

/// <summary>The environment of a verb.</summary>
/// <param name="Error">Progress and messages, separate from the results for scripts.</param>
internal sealed record LabContext(Outlet Out, Outlet Error, TimeProvider Time)
{
    /// <summary>Opens the input. Deferred, because .NET then takes over the terminal.</summary>
    public Func<TextReader> OpenIn { get; init; } = () => TextReader.Null;

    public bool CanAsk { get; init; }

    /// <summary>Asks for confirmation of an irreversible action.</summary>
    /// <param name="what">A sentence that describes the action.</param>
    /// <param name="type">The option that confirms without a prompt.</param>
    /// <param name="refused">The message if the user declines.</param>
    public void Confirm(string what, string question, string type, string refused)
    {
        if (!CanAsk)
            throw new BadInputException($"{what} {type}");
        Error.Text.Write($"{what} {question} [y/N] ");
        if (OpenIn().ReadLine()?.Trim() is not ("y" or "Y" or "yes"))
            throw new LabException(refused);
    }
}

/// <param name="isTerminal">Whether lines can be overwritten.</param>
internal sealed class Outlet(TextWriter text, bool isTerminal)
{
    private const int WidthOfFiles = 160;

    private readonly Lazy<IAnsiConsole> _screen = new(() => Create(text, isTerminal));

    public TextWriter Text => text;

    public bool IsTerminal => isTerminal;

    public IAnsiConsole Screen => _screen.Value;

    /// <summary>Writes a result as JSON or for people.</summary>
    /// <param name="json"><c>null</c> for human-readable output.</param>
    public void Write(string? json, Action<IAnsiConsole> show)
    {
        if (json is not null)
            text.WriteLine(json);
        else
            show(Screen);
    }

    // Files and pipes get neither colors nor line breaks at 80 columns.
    private static IAnsiConsole Create(TextWriter writer, bool isTerminal)
    {
        var settings = new AnsiConsoleSettings { Out = new AnsiConsoleOutput(writer) };
        if (!isTerminal)
        {
            (settings.Ansi, settings.ColorSystem, settings.Interactive) = (
                AnsiSupport.No,
                ColorSystemSupport.NoColors,
                InteractionSupport.No
            );
        }

        var console = AnsiConsole.Create(settings);
        if (!isTerminal)
            console.Profile.Width = WidthOfFiles;
        return console;
    }
}
