using Spectre.Console;

namespace DroneDelivery.Lab;

/// <summary>What a verb is connected to.</summary>
/// <param name="Out">Results.</param>
/// <param name="Error">What only a waiting person needs, so that a script can read the results.</param>
/// <param name="Time">The clock.</param>
internal sealed record LabContext(Outlet Out, Outlet Error, TimeProvider Time)
{
    /// <summary>Opens what is typed; not before a verb reads it, because .NET then takes hold of the terminal.</summary>
    public Func<TextReader> OpenIn { get; init; } = () => TextReader.Null;

    /// <summary>Whether a person can be asked something.</summary>
    public bool CanAsk { get; init; }

    /// <summary>Asks before something that cannot be taken back.</summary>
    /// <param name="what">What would be done, a sentence.</param>
    /// <param name="type">What to type where nobody can be asked.</param>
    /// <param name="refused">Said after a no.</param>
    public void Agree(string what, string question, string type, string refused)
    {
        if (!CanAsk)
            throw new BadInputException($"{what} {type}");
        Error.Text.Write($"{what} {question} [y/N] ");
        if (OpenIn().ReadLine()?.Trim() is not ("y" or "Y" or "yes"))
            throw new LabException(refused);
    }
}

/// <summary>A stream that the lab writes.</summary>
/// <param name="text">Takes documents and single lines as they are.</param>
/// <param name="isTerminal">Whether a person sees it at once, and a line of it can be written over.</param>
internal sealed class Outlet(TextWriter text, bool isTerminal)
{
    private const int WidthOfFiles = 160;

    private readonly Lazy<IAnsiConsole> _screen = new(() => Create(text, isTerminal));

    public TextWriter Text => text;

    public bool IsTerminal => isTerminal;

    /// <summary>Takes tables, and lines that are wrapped where the stream ends.</summary>
    public IAnsiConsole Screen => _screen.Value;

    /// <summary>Writes a result for a program, or for a person.</summary>
    /// <param name="json">Null: a person asks.</param>
    public void Write(string? json, Action<IAnsiConsole> show)
    {
        if (json is not null)
            text.WriteLine(json);
        else
            show(Screen);
    }

    // Neither colors nor line breaks at 80 columns belong into a file or a pipe.
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
