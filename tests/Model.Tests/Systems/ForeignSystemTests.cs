using System.Diagnostics;
using System.Text.Json.Nodes;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Lab;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Model.Planning;

namespace DroneDelivery.Model.Tests.Systems;

/// <summary>
/// Systems other than the lab's. A file describes each one, both for the model and for processes (tests/Consumers) that
/// use only the SDK. Nightly, the measured rates are compared with the model's. The processes report the delays of this
/// machine, which the model includes.
/// </summary>
public sealed class ForeignSystemTests : IDisposable
{
    private const string Queue = "messages";

    private const int Messages = 30;

    private const double Near = 0.1,
        Seconds = 10,
        MaxBusy = 0.2;

    private readonly string _folder = Directory.CreateTempSubdirectory("foreign-").FullName;

    /// <summary>Each system, with a field other than the bottleneck to double.</summary>
    public static TheoryData<string, string> Systems =>
        new()
        {
            { "thumbnails", "services.thumbnails.prefetchCount" },
            { "transcoding", "services.transcoder.maxConcurrentCalls" },
        };

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory, MemberData(nameof(Systems))]
    public void Only_doubling_the_bottleneck_raises_the_predicted_rate(string name, string other) =>
        AssertBottleneckAloneRaises([.. VariantsOf(name, other).Select(variant => variant.Rate)]);

    [Theory, MemberData(nameof(Systems))]
    [Trait("tier", "slow")]
    public async Task Consumers_complete_each_message_once(string name, string _)
    {
        var (file, _) = Read(name);
        await using var broker = await LocalServiceBus.LocalServiceBus.StartAsync(Queue);
        await SendAsync(broker, Messages);

        var service = Start(file, broker.ConnectionString);
        await Eventually.TrueAsync(() => broker.CountsOf(Queue).Completed >= Messages);
        await EndAsync(service);

        var counts = broker.CountsOf(Queue);
        Assert.Equal((Messages, Messages), (counts.Incoming, counts.Completed));
    }

    [Theory, MemberData(nameof(Systems))]
    [Trait("tier", "nightly")]
    public async Task Measured_rates_match_the_model(string name, string other)
    {
        var measured = new List<(double Rate, JsonNode Then)>();
        foreach (var variant in VariantsOf(name, other))
        {
            await SkipIfBusyAsync();
            measured.Add(await MeasureAsync(variant));
        }

        await SkipIfBusyAsync();
        List<double> predicted = [.. measured.Select(it => Keep("then", it.Then).Rate)];
        List<double> rates = [.. measured.Select(it => it.Rate)];
        TestContext.Current.TestOutputHelper!.WriteLine(
            $"{string.Join(", ", predicted)} predicted, {string.Join(", ", rates)} measured"
        );
        Assert.All(predicted.Zip(rates), it => Settings.Near(it.First, it.Second, Near));
        AssertBottleneckAloneRaises(rates);
    }

    /// <summary>
    /// Skips the test when other processes use the machine, because they would affect the measurement.
    /// </summary>
    private static async Task SkipIfBusyAsync()
    {
        var before = MachineCpu.OfThisMachine.Read();
        await Task.Delay(TimeSpan.FromSeconds(1), Cancel);
        var busy = before is null ? 0 : MachineCpu.OfThisMachine.Read()!.Since(before);
        Assert.SkipWhen(busy > MaxBusy, $"Inconclusive: other processes used {busy:P0} of the CPU.");
    }

    /// <param name="rates">
    /// The rates of the original system, with the bottleneck doubled, and with something else doubled.
    /// </param>
    private static void AssertBottleneckAloneRaises(List<double> rates)
    {
        Assert.InRange(rates[1] / rates[0], 1.25, double.MaxValue);
        Assert.InRange(rates[2] / rates[0], 0, 1 + Near);
    }

    /// <returns>The original system, with the predicted bottleneck doubled, and with something else doubled.</returns>
    private IReadOnlyList<Variant> VariantsOf(string name, string other)
    {
        var (file, system) = Read(name);
        var text = File.ReadAllText(file);
        var asItIs = Keep(name, system);
        return [asItIs, Keep("raised", Doubled(text, asItIs.Binds)), Keep("beside", Doubled(text, other))];
    }

    private static (string File, JsonNode System) Read(string name)
    {
        var file = Path.Combine(Repository.Root, "tests", "Model.Tests", "Systems", $"{name}.json");
        return (file, JsonNode.Parse(File.ReadAllText(file))!);
    }

    private static async Task SendAsync(LocalServiceBus.LocalServiceBus broker, int count)
    {
        await using var client = new ServiceBusClient(broker.ConnectionString);
        await using var sender = client.CreateSender(Queue);
        await sender.SendMessagesAsync(Enumerable.Range(0, count).Select(_ => new ServiceBusMessage()), Cancel);
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
        var plan = SystemFigures.Plan(SystemText.Load(file, []), Cancel);
        var binds = plan.Formulas.Binds;
        return new(
            file,
            system,
            plan.Simulated["completed.plateau"].Median,
            binds.Kind == LimitKind.Cpu ? "nodes.vCpu" : $"services.{binds.Service}.maxConcurrentCalls"
        );
    }

    /// <returns>
    /// The number of messages per second while the queue is never empty, and the system with the delays of this
    /// machine.
    /// </returns>
    private static async Task<(double Rate, JsonNode Then)> MeasureAsync(Variant variant)
    {
        await using var broker = await LocalServiceBus.LocalServiceBus.StartAsync(Queue);
        var messages = (int)(variant.Rate * Seconds);
        await SendAsync(broker, messages);
        var then = variant.System.DeepClone();
        var process = Start(variant.File, broker.ConnectionString);
        var watch = Stopwatch.StartNew();
        var (first, last) = (await CompletedAsync(messages / 5, watch), await CompletedAsync(messages * 4 / 5, watch));
        var late = await EndAsync(process);
        if (then["nodes"] is { } nodes)
            nodes["cpuCost"] = late["cpuCost"]!.GetValue<double>();
        else
            then["services"]![then["receives"]!.GetValue<string>()]!["settlement"] = late["late"]!.GetValue<double>();

        return ((last.Count - first.Count) / (last.At - first.At).TotalSeconds, then);

        async Task<(long Count, TimeSpan At)> CompletedAsync(int least, Stopwatch watch)
        {
            while (broker.CountsOf(Queue).Completed < least)
                await Task.Delay(20, Cancel);
            return (broker.CountsOf(Queue).Completed, watch.Elapsed);
        }
    }

    private static Process Start(string file, string connectionString)
    {
        var program = Path.Combine(
            AppContext.BaseDirectory,
            "..",
            "..",
            "Consumers",
            "release",
            "DroneDelivery.Consumers.dll"
        );
        var start = new ProcessStartInfo("dotnet", [program, file, Queue, connectionString])
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

    /// <param name="Rate">The predicted rate.</param>
    /// <param name="Binds">The field of the predicted bottleneck.</param>
    private sealed record Variant(string File, JsonNode System, double Rate, string Binds);
}
