using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace DroneDelivery.Lab;

/// <summary>A verb of the lab. Its fields are what may be typed; it is made for one line, and runs once.</summary>
internal abstract class Verb : Command
{
    protected Verb(string name, string description)
        : base(name, description) =>
        SetAction(
            async (typed, left) =>
            {
                (Typed, Context, Left) = (typed, ((LabInvocation)typed.InvocationConfiguration).Context, left);
                return (int)await RunAsync();
            }
        );

    protected ParseResult Typed { get; private set; } = null!;

    protected LabContext Context { get; private set; } = null!;

    protected Outlet Out => Context.Out;

    /// <summary>Where what only a waiting person needs is written.</summary>
    protected TextWriter Error => Context.Error.Text;

    protected TimeProvider Clock => Context.Time;

    /// <summary>Ctrl-C.</summary>
    protected CancellationToken Left { get; private set; }

    protected abstract Task<ExitCode> RunAsync();

    protected T Get<T>(Option<T> option) => Typed.GetValue(option)!;

    protected T Get<T>(Argument<T> argument) => Typed.GetValue(argument)!;

    /// <summary>Until Ctrl-C, which is its usual end.</summary>
    protected async Task<ExitCode> StayAsync()
    {
        await Task.Delay(Timeout.Infinite, Left).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return ExitCode.Held;
    }

    /// <summary>What is typed and would be ignored is refused.</summary>
    protected void Refuse(string why, params ReadOnlySpan<Option> ignored)
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

    /// <summary>Shows examples below the help.</summary>
    protected void HasExamples(params string[] examples) => HasHelp(_ => { }, examples);

    /// <summary>Shows more below the help, then examples.</summary>
    protected void HasHelp(Action<TextWriter> more, params string[] examples)
    {
        var help = new HelpOption();
        help.Action = new LongHelp((HelpAction)help.Action!, more, examples);
        Add(help);
    }

    /// <summary>The line that was typed, to be typed again.</summary>
    protected string Line => "./lab " + string.Join(' ', Typed.Tokens.Select(token => Quoted(token.Value)));

    /// <summary>A word as a shell takes it.</summary>
    public static string Quoted(string word) =>
        word.All(it => char.IsAsciiLetterOrDigit(it) || "./-_=,:%".Contains(it))
            ? word
            : $"'{word.Replace("'", @"'\''", StringComparison.Ordinal)}'";
}

/// <summary>Brings a verb what it is connected to. Ctrl-C: it gets 30 s to stop what it started.</summary>
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

    /// <summary>Columns after which the help is wrapped. [default: those of the terminal]</summary>
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
