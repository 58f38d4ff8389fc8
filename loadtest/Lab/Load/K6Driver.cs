using System.Globalization;
using System.Text.Json;
using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Lab.Load;

/// <summary>Step load by k6: <c>loadtest/k6/step-load.js</c>.</summary>
/// <param name="executable">k6.</param>
/// <param name="folder">Of the run: profile, summary and log go there.</param>
internal sealed class K6Driver(string executable, string folder) : ILoadDriver
{
    // k6 exits so when a threshold of the script does not hold: the answers are counted all the same, and judged by the run.
    private const int ThresholdsFailed = 99;
    private static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web);

    private ChildProcess? _k6;

    public string Name => "k6";

    public TimeSpan Cpu => _k6?.Cpu ?? TimeSpan.Zero;

    public long? Accepted => null;

    public static K6Driver? Find(string folder) => Executable.OnPath("k6") is { } executable ? new(executable, folder) : null;

    public async Task<LoadResult> RunAsync(LoadPlan plan, Action started, CancellationToken cancellationToken)
    {
        var (profile, summary) = (Path.Combine(folder, "profile.json"), Path.Combine(folder, "k6.json"));
        await File.WriteAllTextAsync(profile, JsonSerializer.Serialize(plan.Profile, Options), cancellationToken);
        await using var k6 = ChildProcess.Start(
            "k6", Path.Combine(folder, "k6.log"), folder, new Dictionary<string, string>(), Command(plan, profile, summary));
        _k6 = k6;
        started();
        var exitCode = await k6.Ended.WaitAsync(cancellationToken);
        if (exitCode is not (0 or ThresholdsFailed) || !File.Exists(summary))
            throw new CrashException(k6.Name, exitCode, k6.Log);
        var counted = Read(await File.ReadAllTextAsync(summary, cancellationToken), summary);
        return new()
        {
            Driver = Name,
            StartedAt = DateTimeOffset.FromUnixTimeMilliseconds(counted.StartedAt),
            Sent = counted.Sent,
            Accepted = counted.Accepted,
            ServerErrors = counted.ServerErrors,
            Failed = counted.Failed,
            Dropped = counted.Dropped,
            P50 = counted.P50,
            P95 = counted.P95,
            P99 = counted.P99,
        };
    }

    private static Summary Read(string json, string file)
    {
        try
        {
            return JsonSerializer.Deserialize<Summary>(json, Options)!;
        }
        catch (JsonException exception)
        {
            throw new LabException($"k6 left no result that can be read in {file}; is the disk full? {exception.Message}");
        }
    }

    private string[] Command(LoadPlan plan, string profile, string summary) =>
    [
        executable, "run", "--quiet", "--no-color", "--no-usage-report", "--address", "",
        "-e", $"PROFILE={profile}",
        "-e", $"TARGETS={string.Join(',', plan.Targets.Select(target => target.ToString().TrimEnd('/')))}",
        "-e", $"MODEL={(plan.Open ? "open" : "closed")}",
        "-e", $"SEED={plan.Seed.ToString(CultureInfo.InvariantCulture)}",
        "-e", $"SUMMARY={summary}",
        // A person has agreed already, or the plan would not be.
        .. plan.IsAdmitted ? ["-e", $"CONFIRM_HOST={string.Join(',', plan.Targets.Select(target => target.Host))}"] : Array.Empty<string>(),
        Path.Combine(Repository.Root, "loadtest", "k6", "step-load.js"),
    ];

    private sealed record Summary
    {
        public long StartedAt { get; init; }

        public long Sent { get; init; }

        public long Accepted { get; init; }

        public long ServerErrors { get; init; }

        public long Failed { get; init; }

        public long Dropped { get; init; }

        public double P50 { get; init; }

        public double P95 { get; init; }

        public double P99 { get; init; }
    }
}
