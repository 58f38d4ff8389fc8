using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace DroneDelivery.Lab.Commands;

/// <summary>The command line: one verb, one file of this folder.</summary>
internal static class LabCommand
{
    /// <returns>0: everything holds; 1: something failed; 2: what was typed makes no sense (one line, nothing started).</returns>
    public static async Task<int> RunAsync(string[] args)
    {
        var parsed = Parse(args is [] ? ["--help"] : args);
        if (parsed.Action is ParseErrorAction)
        {
            await Console.Error.WriteLineAsync($"{Mistake(parsed)} `./lab {VerbOf(parsed)}--help` shows what does.");
            return 2;
        }

        return await InvokeAsync(parsed);
    }

    /// <summary>What was typed, understood or not.</summary>
    public static ParseResult Parse(IReadOnlyList<string> args)
    {
        // Not a RootCommand: that one is named after the assembly, and people type ./lab.
        var root = new Command("./lab", "The tuning lab of Drone Delivery.")
        {
            new HelpOption(),
            RunCommand.Create(), ReplayCommand.Create(), ExperimentCommand.Create(),
            UpCommand.Create(), SendCommand.Create(), StatusCommand.Create(), DownCommand.Create(), BrokerCommand.Create(),
            CollectCommand.Create(), QueryCommand.Create(), ReportCommand.Create(), StagesCommand.Create(), CompareCommand.Create(),
            ResultsCommand.Create(), OverlaysCommand.Create(), CheckCommand.Create(),
        };
        return root.Parse(args);
    }

    /// <summary>Shows examples below the help of a verb.</summary>
    public static Command WithExamples(this Command command, params string[] examples) => command.WithHelp(_ => { }, examples);

    /// <summary>Shows more below the help of a verb, then examples.</summary>
    public static Command WithHelp(this Command command, Action<TextWriter> more, params string[] examples)
    {
        var help = new HelpOption();
        help.Action = new LongHelp((HelpAction)help.Action!, more, examples);
        command.Add(help);
        return command;
    }

    private static async Task<int> InvokeAsync(ParseResult parsed)
    {
        try
        {
            // Ctrl-C: a verb gets this long to stop what it started.
            var configuration = new InvocationConfiguration
            {
                EnableDefaultExceptionHandler = false,
                ProcessTerminationTimeout = TimeSpan.FromSeconds(30),
            };
            return await parsed.InvokeAsync(configuration);
        }
        catch (LabException exception)
        {
            await Console.Error.WriteLineAsync(exception.Message);
            return exception.ExitCode;
        }
        catch (OperationCanceledException)
        {
            return 130;
        }
    }

    // "Required command was not provided" says less than which word is none.
    private static string Mistake(ParseResult parsed) =>
        parsed.UnmatchedTokens is [var token, ..] ? $"`{token}` is not understood." : parsed.Errors[0].Message;

    private static string VerbOf(ParseResult parsed) =>
        parsed.CommandResult.Command.Name == "./lab" ? "" : parsed.CommandResult.Command.Name + " ";

    private sealed class LongHelp(HelpAction inner, Action<TextWriter> more, string[] examples) : SynchronousCommandLineAction
    {
        public override bool ClearsParseErrors => true;

        public override int Invoke(ParseResult parseResult)
        {
            var result = inner.Invoke(parseResult);
            var output = parseResult.InvocationConfiguration.Output;
            more(output);
            output.WriteLine("Examples:");
            foreach (var example in examples)
                output.WriteLine($"  ./lab {example}");
            return result;
        }
    }
}
