using System.Globalization;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model;

namespace DroneDelivery.Lab.Predict;

/// <summary>What somebody knows of an application, in place of what a stage and its environment say.</summary>
internal sealed record PlanInputs
{
    public const double MostPerSecond = 2000;

    public const string UsersKnob = "load.maxUsers",
        RateAndUsers = $"--rate says how many users there are: leave {UsersKnob} out.";

    private const string Broker = "broker";

    private const double MostMilliseconds = 600_000;

    /// <summary>Requests per second once all users are active; null: the profile's.</summary>
    public double? Rate { get; init; }

    public IReadOnlyDictionary<string, LogNormal> Latency { get; init; } = new Dictionary<string, LogNormal>();

    public IReadOnlyDictionary<string, double> Cpu { get; init; } = new Dictionary<string, double>();

    /// <summary>Reads <c>broker=87/283</c>: process, median and 95th percentile in milliseconds.</summary>
    public static KeyValuePair<string, LogNormal> ReadLatency(string text)
    {
        var parts = text.Split('=', 2);
        var percentiles = parts[^1].Split('/');
        return
            parts.Length == 2
            && percentiles.Length == 2
            && ReadMilliseconds(percentiles[0]) is { } median
            && ReadMilliseconds(percentiles[1]) is { } high
            ? new(ProcessOf(parts[0]), OfPercentiles(median, high, $"--latency {text}"))
            : throw new BadInputException(
                $"--latency {text}: expected PROCESS=MEDIAN/P95 in milliseconds, for example delivery=37/57."
            );
    }

    /// <summary>Reads <c>workflow=60,ingestion=15</c>: service and milliseconds of CPU for each request or message.</summary>
    public static IEnumerable<KeyValuePair<string, double>> ReadCpu(string text) =>
        text.Split(',')
            .Select(pair =>
            {
                var parts = pair.Split('=', 2);
                return parts.Length == 2 && ReadMilliseconds(parts[1]) is { } milliseconds
                    ? KeyValuePair.Create(
                        Nearest.Named("a service", parts[0].Trim(), Service.All, it => it.Name).Name,
                        milliseconds
                    )
                    : throw new BadInputException(
                        $"--cpu {pair}: expected SERVICE=MILLISECONDS, for example workflow=60."
                    );
            });

    public static LogNormal OfPercentiles(double median, double high, string source) =>
        median > 0 && high >= median
            ? LogNormal.OfPercentiles(median, high)
            : throw new BadInputException(
                $"{source}: a median of {median} ms and a 95th percentile of {high} ms cannot be."
            );

    public static string ProcessOf(string name) =>
        Nearest.Named(
            "a process with a latency",
            name.Trim(),
            [Broker, .. Service.Backends.Select(it => it.Name)],
            it => it
        );

    /// <summary>The setting with what is known in its place.</summary>
    public StagePlan ApplyTo(StagePlan plan) =>
        plan with
        {
            Profile = Rate is { } rate ? AtRate(plan.Profile, rate) : plan.Profile,
            Environment = Known(plan.Environment),
        };

    /// <summary>The same ramp with as many users as send so many requests a second.</summary>
    public static StepProfile AtRate(StepProfile profile, double rate)
    {
        var users = Math.Max(1, (int)Math.Ceiling(rate * profile.RequestEveryMilliseconds / 1000));
        var share = users / (double)profile.MaxUsers;
        return profile with
        {
            MaxUsers = users,
            StartUsers = Math.Clamp((int)Math.Round(profile.StartUsers * share), 1, users),
            StepUsers = Math.Max(1, (int)Math.Round(profile.StepUsers * share)),
            RequestEveryMilliseconds = users * 1000 / rate,
        };
    }

    /// <summary>Of what is there more than once the last counts.</summary>
    public static IReadOnlyDictionary<string, T> LastOfEach<T>(IEnumerable<KeyValuePair<string, T>> pairs) =>
        pairs.GroupBy(pair => pair.Key).ToDictionary(pair => pair.Key, pair => pair.Last().Value);

    private DeclaredEnvironment Known(DeclaredEnvironment environment)
    {
        if (Cpu.Count > 0 && environment.Nodes is null)
        {
            throw new BadInputException(
                $"CPU costs need nodes, and environment {environment.Name} has none. Choose another: --environment."
            );
        }

        if (Latency.Count == 0 && Cpu.Count == 0)
            return environment;
        var changed = environment with
        {
            Name = environment.Name + ", changed",
            Latency = LastOfEach(environment.Latency.Concat(Latency)),
            Nodes = environment.Nodes is { } nodes
                ? nodes with
                {
                    CpuMilliseconds = LastOfEach(nodes.CpuMilliseconds.Concat(Cpu)),
                }
                : null,
        };
        return changed.Valid();
    }

    private static double? ReadMilliseconds(string text) =>
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var number)
        && number is >= 0 and <= MostMilliseconds
            ? number
            : null;
}
