using System.Diagnostics;
using System.Text.Json.Nodes;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Lab;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Model.Planning;

namespace DroneDelivery.Model.Tests.Systems;

/// <summary>
/// Systems that are not the lab's. A file describes each, for the model and for processes (tests/Consumers) that know only the SDK: what
/// the model says of the file is measured. The processes say how late this machine was, and the model is told.
/// </summary>
public sealed class ForeignSystemTests : IDisposable
{
    /// <summary>Other tests take the machine for a while: how late it was is told as one mean.</summary>
    private const double NearBesideOthers = 0.3;

    private const double Near = 0.1,
        Seconds = 10;

    private readonly string _folder = Directory.CreateTempSubdirectory("foreign-").FullName;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <param name="other">What is doubled beside what binds.</param>
    [Theory]
    [InlineData("thumbnails", "services.thumbnails.prefetchCount")]
    [InlineData("invoices", "services.checkout.maxConcurrentCalls")]
    public async Task Twice_as_much_of_what_binds_is_faster_and_of_something_else_is_not(string name, string other) =>
        Compare(await Task.WhenAll(VariantsOf(name, other).Select(MeasureAsync)), NearBesideOthers);

    /// <summary>One after the other, and only on demand (<c>-explicit only</c>): they need this machine for themselves.</summary>
    [Theory(Explicit = true)]
    [InlineData("thumbnails", "services.thumbnails.prefetchCount")]
    [InlineData("invoices", "services.checkout.maxConcurrentCalls")]
    [InlineData("transcoding", "services.transcoder.maxConcurrentCalls")]
    public async Task Alone_the_rates_are_those_of_the_model(string name, string other)
    {
        var measured = new List<(double, JsonNode)>();
        foreach (var variant in VariantsOf(name, other))
            measured.Add(await MeasureAsync(variant));

        Compare(measured, Near);
    }

    private void Compare(IReadOnlyList<(double Rate, JsonNode Then)> measured, double near)
    {
        List<double> predicted = [.. measured.Select(it => Keep("then", it.Then).Rate)];
        List<double> rates = [.. measured.Select(it => it.Rate)];
        TestContext.Current.TestOutputHelper!.WriteLine(
            $"{string.Join(", ", predicted)} predicted, {string.Join(", ", rates)} measured"
        );
        Assert.All(predicted.Zip(rates), it => Settings.Near(it.First, it.Second, near));
        Assert.True(rates[1] > 1.25 * rates[0] && rates[2] < (1 + Near) * rates[0]);
    }

    /// <returns>As it is, with twice as much of what the model says binds, and with twice as much of something else.</returns>
    private IReadOnlyList<Variant> VariantsOf(string name, string other)
    {
        var text = File.ReadAllText(Path.Combine(Repository.Root, "tests", "Model.Tests", "Systems", $"{name}.json"));
        var asItIs = Keep(name, JsonNode.Parse(text)!);
        return [asItIs, Keep("raised", Doubled(text, asItIs.Binds)), Keep("beside", Doubled(text, other))];
    }

    private static JsonNode Doubled(string text, string field)
    {
        var root = JsonNode.Parse(text)!;
        var path = field.Split('.');
        var part = path[..^1].Aggregate(root, (node, step) => node[step]!);
        part[path[^1]] = 2 * part[path[^1]]!.GetValue<int>();
        return root;
    }

    private Variant Keep(string name, JsonNode system)
    {
        var file = Path.Combine(_folder, $"{name}.json");
        File.WriteAllText(file, system.ToJsonString());
        var last = SystemFigures.Plan(SystemText.Load(file, []), Cancel)[^1].Plan;
        var binds = last.Formulas.Binds;
        return new(
            file,
            system,
            last.Simulated["completed.plateau"].Median,
            binds.Kind == LimitKind.Cpu ? "nodes.vCpu" : $"services.{binds.Service}.maxConcurrentCalls"
        );
    }

    /// <returns>
    /// Messages a second of the last queue, while there are more in the first than can be handled, and the system on a machine as late.
    /// </returns>
    private static async Task<(double Rate, JsonNode Then)> MeasureAsync(Variant variant)
    {
        string[] queues = [.. variant.System["queues"]!.AsObject().Select(it => it.Key)];
        await using var broker = await LocalServiceBus.LocalServiceBus.StartAsync(queues);
        await using var client = new ServiceBusClient(broker.ConnectionString);
        var messages = (int)(variant.Rate * Seconds);
        await client
            .CreateSender(queues[0])
            .SendMessagesAsync(Enumerable.Range(0, messages).Select(_ => new ServiceBusMessage()), Cancel);
        var then = variant.System.DeepClone();
        List<(JsonNode Then, Process Process)> services =
        [
            .. then["services"]!
                .AsObject()
                .Where(it => it.Value!["receives"] is not null)
                .Select(it => (it.Value!, Start(variant.File, it.Key, broker.ConnectionString))),
        ];
        var watch = Stopwatch.StartNew();
        var (first, last) = (await CompletedAsync(messages / 5, watch), await CompletedAsync(messages * 4 / 5, watch));
        foreach (var (service, process) in services)
        {
            var late = await EndAsync(process);
            if (then["nodes"] is { } nodes)
                nodes["cpuCost"] = late["cpuCost"]!.GetValue<double>();
            else
                service["settlement"] = late["late"]!.GetValue<double>() / (service["sends"] is null ? 1 : 2);
        }

        return ((last.Count - first.Count) / (last.At - first.At).TotalSeconds, then);

        async Task<(long Count, TimeSpan At)> CompletedAsync(int least, Stopwatch watch)
        {
            while (broker.CountsOf(queues[^1]).Completed < least)
                await Task.Delay(20, Cancel);
            return (broker.CountsOf(queues[^1]).Completed, watch.Elapsed);
        }
    }

    private static Process Start(params string[] arguments)
    {
        var program = Path.Combine(
            AppContext.BaseDirectory,
            "..",
            "..",
            "Consumers",
            "release",
            "DroneDelivery.Consumers.dll"
        );
        var start = new ProcessStartInfo("dotnet", [program, .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        return Process.Start(start)!;
    }

    private static async Task<JsonNode> EndAsync(Process service)
    {
        using var ended = service;
        service.StandardInput.Close();
        return JsonNode.Parse(await service.StandardOutput.ReadToEndAsync(Cancel))!;
    }

    /// <param name="Rate">That the model predicts for the last queue.</param>
    /// <param name="Binds">The field of what the model says limits it.</param>
    private sealed record Variant(string File, JsonNode System, double Rate, string Binds);
}
