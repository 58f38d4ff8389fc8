using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using System.CommandLine.Parsing;

namespace DroneDelivery.Lab.Cli;

/// <summary>The root command. Each verb is a file of this folder.</summary>
internal static class LabCommand
{
    /// <summary>Parses the command line. The verbs are in the order in which a new user needs them.</summary>
    public static ParseResult Parse(IReadOnlyList<string> args)
    {
        // A RootCommand would be named after the assembly; users run ./lab.
        var root = new Command(
            "./lab",
            "The Drone Delivery tuning lab. `./lab test` runs the tests; `./lab experiment` reproduces four other articles."
        )
        {
            new HelpOption(),
            // Manual use of the application.
            new UpCommand(),
            new SendCommand(),
            new DownCommand(),
            // Load tests and their results.
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
            // Applications elsewhere.
            new ReplayCommand(),
            new CollectCommand(),
        };
        return root.Parse([.. args.Take(1).Select(verb => VerbFor(verb, args)), .. args.Skip(1)]);
    }

    /// <summary>Returns the command name. `run` with --target has other options and is a separate command.</summary>
    private static string VerbFor(string typed, IEnumerable<string> args) =>
        typed == "run" && args.Any(word => word.Split('=')[0] == "--target") ? "replay" : typed;

    public static Task<ExitCode> RunAsync(string[] args, LabContext context) => RunAsync(args, context, Parse);

    public static async Task<ExitCode> RunAsync(
        string[] args,
        LabContext context,
        Func<IReadOnlyList<string>, ParseResult> parse
    )
    {
        var parsed = parse(args is [] ? ["--help"] : args);
        if (parsed.Action is ParseErrorAction || FindUnknown(parsed) is not null)
        {
            await context.Error.Text.WriteLineAsync(
                $"{Mistake(parsed)} `./lab {VerbOf(parsed)}--help` shows the usage."
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

    // "Required command was not provided" doesn't name the unknown word.
    private static string Mistake(ParseResult parsed) =>
        FindUnknown(parsed) is { } word ? $"Unknown option or argument: `{word}`." : parsed.Errors[0].Message;

    // An argument with any number of values would accept an unknown option.
    private static string? FindUnknown(ParseResult parsed) =>
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
