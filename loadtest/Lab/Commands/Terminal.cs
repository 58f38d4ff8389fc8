using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary>Where the lab writes: results to standard output, all that only a waiting person needs to standard error.</summary>
internal static class Terminal
{
    private const int WidthOfFiles = 160;

    public static IAnsiConsole Output { get; } = Create(Console.Out, Console.IsOutputRedirected);

    public static IAnsiConsole Error { get; } = Create(Console.Error, Console.IsErrorRedirected);

    // Neither colours nor line breaks at 80 columns belong into a file or a pipe.
    private static IAnsiConsole Create(TextWriter writer, bool isRedirected)
    {
        var settings = new AnsiConsoleSettings { Out = new AnsiConsoleOutput(writer) };
        if (isRedirected)
        {
            (settings.Ansi, settings.ColorSystem, settings.Interactive) =
                (AnsiSupport.No, ColorSystemSupport.NoColors, InteractionSupport.No);
        }

        var console = AnsiConsole.Create(settings);
        if (isRedirected)
            console.Profile.Width = WidthOfFiles;
        return console;
    }
}
