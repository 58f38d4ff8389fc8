namespace DroneDelivery.Lab.Tests.Support;

/// <summary>A verb without a process: what it writes, and what is typed into it, is in memory.</summary>
internal sealed class LabInMemory
{
    private readonly StringBuilder _output = new(), _error = new();

    public LabInMemory() => Context = new(Writing(_output), Writing(_error), new SilentTime());

    public LabContext Context { get; init; }

    public string Output => _output.ToString();

    public string Error => _error.ToString();

    /// <summary>Runs a verb with its arguments.</summary>
    public static async Task<(ExitCode ExitCode, string Output, string Error)> RunAsync<T>(
        Verb<T> verb, T arguments, string typedIntoIt = "")
    {
        var lab = new LabInMemory();
        var context = lab.Context with { OpenIn = () => new StringReader(typedIntoIt), CanAsk = typedIntoIt.Length > 0 };
        var exitCode = await verb.RunAsync(arguments, context, TestContext.Current.CancellationToken);
        return (exitCode, lab.Output, lab.Error);
    }

    /// <summary>Runs a line as it is typed after <c>./lab</c>.</summary>
    public static async Task<(int ExitCode, string Output, string Error)> TypeAsync(params string[] words)
    {
        var lab = new LabInMemory();
        var exitCode = await LabCommand.RunAsync(words, lab.Context);
        return ((int)exitCode, lab.Output, lab.Error);
    }

    private static Outlet Writing(StringBuilder text) => new(new StringWriter(text), isTerminal: false);
}
