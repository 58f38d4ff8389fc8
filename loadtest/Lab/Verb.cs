using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace DroneDelivery.Lab;

/// <summary>A verb of the command line; its fields are the options and arguments.</summary>
internal abstract class Verb : Command
{
    protected Verb(string name, string description)
        : base(name, description) =>
        SetAction(
            async (typed, left) =>
            {
                (Typed, Context, Stopping) = (typed, ((LabInvocation)typed.InvocationConfiguration).Context, left);
                return (int)await RunAsync();
            }
        );

    protected ParseResult Typed { get; private set; } = null!;

    protected LabContext Context { get; private set; } = null!;

    protected Outlet Out => Context.Out;

    protected TextWriter Error => Context.Error.Text;

    protected TimeProvider Clock => Context.Time;

    protected CancellationToken Stopping { get; private set; }

    protected abstract Task<ExitCode> RunAsync();

    protected T Get<T>(Option<T> option) => Typed.GetValue(option)!;

    protected T Get<T>(Argument<T> argument) => Typed.GetValue(argument)!;

    /// <summary>Waits for Ctrl-C, which ends the verb successfully.</summary>
    protected async Task<ExitCode> WaitForCancellationAsync()
    {
        await Task.Delay(Timeout.Infinite, Stopping).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return ExitCode.Held;
    }

    protected void RejectOptions(string why, params ReadOnlySpan<Option> ignored)
    {
        foreach (var option in ignored)
        {
            if (Typed.GetResult(option) is { Implicit: false })
                throw new BadInputException($"{option.Name} {why}");
        }
    }

    protected void Takes(params ReadOnlySpan<Symbol> symbols)
    {
        foreach (var symbol in symbols)
        {
            if (symbol is Argument argument)
                Add(argument);
            else
                Add((Option)symbol);
        }
    }

    protected void HasExamples(params string[] examples) => HasHelp(_ => { }, examples);

    /// <summary>Adds text and examples to the help.</summary>
    protected void HasHelp(Action<TextWriter> more, params string[] examples)
    {
        var help = new HelpOption();
        help.Action = new LongHelp((HelpAction)help.Action!, more, examples);
        Add(help);
    }

    /// <summary>The command line, quoted for a shell.</summary>
    protected string Line => "./lab " + string.Join(' ', Typed.Tokens.Select(token => Quoted(token.Value)));

    public static string Quoted(string word) =>
        word.All(letter => char.IsAsciiLetterOrDigit(letter) || "./-_=,:%".Contains(letter))
            ? word
            : $"'{word.Replace("'", @"'\''", StringComparison.Ordinal)}'";
}

/// <summary>Passes the context to a verb, and gives it 30 s after Ctrl-C to stop its processes.</summary>
internal sealed class LabInvocation : InvocationConfiguration
{
    public LabInvocation(LabContext context)
    {
        (Context, Output, Error) = (context, context.Out.Text, context.Error.Text);
        (EnableDefaultExceptionHandler, ProcessTerminationTimeout) = (false, TimeSpan.FromSeconds(30));
    }

    public LabContext Context { get; }
}

internal sealed class LongHelp(HelpAction inner, Action<TextWriter> more, string[] examples)
    : SynchronousCommandLineAction
{
    public override bool ClearsParseErrors => true;

    /// <summary>The column at which the help wraps; by default the terminal's width.</summary>
    public int MaxWidth
    {
        set => inner.MaxWidth = value;
    }

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
