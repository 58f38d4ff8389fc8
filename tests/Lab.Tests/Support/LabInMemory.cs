namespace DroneDelivery.Lab.Tests.Support;

/// <summary>A verb that runs in the test's process, with its input and output in memory.</summary>
internal sealed class LabInMemory
{
    private readonly StringBuilder _output = new(),
        _error = new();

    public LabInMemory() => Context = new(Writing(_output), Writing(_error), new SilentTime());

    public LabContext Context { get; init; }

    public string Output => _output.ToString();

    public string Error => _error.ToString();

    public static Task<(int ExitCode, string Output, string Error)> InvokeAsync(params string[] words) =>
        InvokeWithInputAsync("", words);

    public static async Task<(int ExitCode, string Output, string Error)> InvokeWithInputAsync(
        string answer,
        params string[] words
    )
    {
        var lab = new LabInMemory();
        var context = lab.Context with { OpenIn = () => new StringReader(answer), CanAsk = answer.Length > 0 };
        var exitCode = await LabCommand.RunAsync(words, context);
        return ((int)exitCode, lab.Output, lab.Error);
    }

    public static async Task<JsonElement> JsonAsync(params string[] words)
    {
        var (_, output, error) = await InvokeAsync([.. words, "--json"]);
        Assert.True(output.Length > 0, error);
        return JsonDocument.Parse(output).RootElement;
    }

    /// <summary>Returns a function from a metric to its value in a simulation of one stage.</summary>
    public static async Task<Func<string, double>> SimulateAsync(params string[] words)
    {
        var figures = (await JsonAsync(["simulate", .. words])).GetProperty("stages")[0].GetProperty("figures");
        return figure => figures.GetProperty(figure).GetProperty("value").GetDouble();
    }

    /// <summary>Asserts that invalid arguments cause one line on standard error and nothing else.</summary>
    public static async Task AssertRejectedAsync(string why, string[] words, int exitCode = 2)
    {
        var (code, output, error) = await InvokeAsync(words);

        Assert.Equal((exitCode, ""), (code, output));
        Assert.Contains(why, error, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.TrimEnd());
    }

    private static Outlet Writing(StringBuilder text) => new(new StringWriter(text), isTerminal: false);
}
