using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using System.CommandLine.Parsing;

namespace DroneDelivery.Lab.Cli;

/// <summary>The command line: one verb, one file of this folder.</summary>
internal static class LabCommand
{
    /// <summary>What was typed, understood or not. The verbs stand in the order in which somebody comes to use them.</summary>
    public static ParseResult Parse(IReadOnlyList<string> args)
    {
        // Not a RootCommand: that one is named after the assembly, and people type ./lab.
        var root = new Command(
            "./lab",
            "The tuning lab of Drone Delivery. `./lab test` runs the tests, `./lab experiment` replays four other articles."
        )
        {
            new HelpOption(),
            // The application by hand.
            new UpCommand(),
            new SendCommand(),
            new DownCommand(),
            // A load test, and what it says.
            new CheckCommand(),
            new StagesCommand(),
            new PlanCommand(),
            new SimulateCommand(),
            new TuneCommand(),
            new RunCommand(),
            new ServeCommand(),
            new ReportCommand(),
            new QueryCommand(),
            new CompareCommand(),
            new LearnCommand(),
            new CalibrateCommand(),
            // Other places.
            new ReplayCommand(),
            new CollectCommand(),
        };
        return root.Parse([.. args.Take(1).Select(verb => VerbFor(verb, args)), .. args.Skip(1)]);
    }

    /// <summary>On a target that runs already, `run` has other options, so it is a command of its own.</summary>
    private static string VerbFor(string typed, IEnumerable<string> args) =>
        typed == "run" && args.Any(word => word.Split('=')[0] == "--target") ? "replay" : typed;

    public static Task<ExitCode> RunAsync(string[] args, LabContext context) => RunAsync(args, context, Parse);

    /// <param name="parse">Knows the verbs.</param>
    public static async Task<ExitCode> RunAsync(
        string[] args,
        LabContext context,
        Func<IReadOnlyList<string>, ParseResult> parse
    )
    {
        var parsed = parse(args is [] ? ["--help"] : args);
        if (parsed.Action is ParseErrorAction || NotUnderstood(parsed) is not null)
        {
            await context.Error.Text.WriteLineAsync(
                $"{Mistake(parsed)} `./lab {VerbOf(parsed)}--help` shows what you can type."
            );
            return ExitCode.BadInput;
        }

        try
        {
            return (ExitCode)await parsed.InvokeAsync(new LabInvocation(context));
        }
        catch (LabException exception)
        {
            await context.Error.Text.WriteLineAsync(exception.Message);
            return exception.ExitCode;
        }
        catch (OperationCanceledException)
        {
            return ExitCode.Interrupted;
        }
    }

    // "Required command was not provided" says less than which word is none.
    private static string Mistake(ParseResult parsed) =>
        NotUnderstood(parsed) is { } word ? $"`{word}` is not understood." : parsed.Errors[0].Message;

    // A verb that takes any number of values would take an option that it does not have as one of them.
    private static string? NotUnderstood(ParseResult parsed) =>
        parsed
            .UnmatchedTokens.Concat(
                parsed
                    .CommandResult.Children.OfType<ArgumentResult>()
                    .SelectMany(argument => argument.Tokens)
                    .Select(token => token.Value)
                    .Where(value => value.StartsWith("--", StringComparison.Ordinal))
            )
            .FirstOrDefault();

    private static string VerbOf(ParseResult parsed) =>
        parsed.CommandResult.Command.Name == "./lab" ? "" : parsed.CommandResult.Command.Name + " ";
}
