using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace DroneDelivery.Lab;

/// <summary>A verb of the lab. Its fields are what may be typed.</summary>
internal abstract class Verb : Command
{
    protected Verb(string name, string description)
        : base(name, description) =>
        SetAction(async (parsed, cancellationToken) =>
            (int)await RunAsync(parsed, ((LabInvocation)parsed.InvocationConfiguration).Context, cancellationToken));

    /// <exception cref="LabException">It cannot be done; the message says what would help.</exception>
    protected abstract Task<ExitCode> RunAsync(ParseResult parsed, LabContext context, CancellationToken cancellationToken);

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

    /// <summary>The line that was typed.</summary>
    protected static string LineOf(ParseResult parsed) => "./lab " + string.Join(' ', parsed.Tokens.Select(token => token.Value));
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

internal sealed class LongHelp(HelpAction inner, Action<TextWriter> more, string[] examples) : SynchronousCommandLineAction
{

    public override bool ClearsParseErrors => true;

    /// <summary>Columns after which the help is wrapped. [default: those of the terminal]</summary>
    public int MaxWidth { set => inner.MaxWidth = value; }

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
