using System.Text.Json;
using System.Text.Json.Nodes;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Load;

/// <summary>Step load by k6: <c>loadtest/k6/step-load.js</c>, here or as a Job in a cluster.</summary>
/// <param name="executable">k6, or the script that runs the Job.</param>
/// <param name="folder">Of the run: profile, summary, log and k6's own report of a stage go there.</param>
/// <remarks>k6 also reads the variables of this process: with <c>K6_OUT</c> its samples go to a team's own database.</remarks>
internal sealed class K6Driver(string name, string executable, string folder) : ILoadDriver
{
    // k6 exits so when a threshold of the script does not hold: the answers are counted all the same, and judged by the run.
    private const int ThresholdsFailed = 99;

    private ChildProcess? _k6;

    public string Name => name;

    public TimeSpan Cpu => _k6?.Cpu ?? TimeSpan.Zero;

    public long? Accepted => null;

    public static K6Driver? Find(string folder) =>
        Executable.OnPath("k6") is { } executable ? new(LoadDrivers.K6, executable, folder) : null;

    public static K6Driver InCluster(string folder) =>
        new(LoadDrivers.Job, Path.Combine(Repository.Root, "k8s", "load-test"), folder);

    public async Task<LoadResult> RunAsync(LoadPlan plan, Action started, CancellationToken cancellationToken)
    {
        var (profile, summary) = (Path.Combine(folder, "profile.json"), Path.Combine(folder, "k6.json"));
        await File.WriteAllTextAsync(
            profile,
            JsonSerializer.Serialize(plan.Profile, JsonSerializerOptions.Web),
            cancellationToken
        );
        await using var k6 = ChildProcess.Start(
            "k6",
            Path.Combine(folder, "k6.log"),
            folder,
            Variables(plan),
            Command(plan, profile, summary)
        );
        _k6 = k6;
        started();
        var exitCode = await k6.Ended.WaitAsync(cancellationToken);
        if (exitCode is not (0 or ThresholdsFailed) || !File.Exists(summary))
            throw new CrashException(k6.Name, exitCode, k6.Log);
        return Read(await File.ReadAllTextAsync(summary, cancellationToken), summary);
    }

    private LoadResult Read(string json, string file)
    {
        try
        {
            var counted = JsonNode.Parse(json)!.AsObject();
            counted["driver"] = Name;
            counted["startedAt"] = DateTimeOffset.FromUnixTimeMilliseconds((long?)counted["startedAt"] ?? 0);
            return counted.Deserialize<LoadResult>(JsonSerializerOptions.Web)!;
        }
        catch (JsonException exception)
        {
            throw new LabException(
                $"k6 left no result that can be read in {file}; is the disk full? {exception.Message}"
            );
        }
    }

    private Dictionary<string, string> Variables(LoadPlan plan)
    {
        var variables = new Dictionary<string, string> { ["SEED"] = $"{plan.Seed}" };
        if (plan.Stage is null || Environment.GetEnvironmentVariable("K6_WEB_DASHBOARD") is not null)
            return variables;
        variables["K6_WEB_DASHBOARD"] = "true";
        variables["K6_WEB_DASHBOARD_PORT"] = "-1"; // nobody looks while it runs
        variables["K6_WEB_DASHBOARD_PERIOD"] = "1s";
        variables["K6_WEB_DASHBOARD_EXPORT"] = Path.Combine(folder, $"k6-{plan.Stage}.html");
        return variables;
    }

    private string[] Command(LoadPlan plan, string profile, string summary) =>
        name == LoadDrivers.Job
            ? [executable, profile, summary]
            :
            [
                executable,
                "run",
                "--quiet",
                "--no-color",
                "--no-usage-report",
                "--address",
                "",
                .. plan.Stage is null ? [] : (string[])["--tag", $"stage={plan.Stage}"],
                "-e",
                $"PROFILE={profile}",
                "-e",
                $"TARGETS={string.Join(',', plan.Targets.Select(target => target.ToString().TrimEnd('/')))}",
                "-e",
                $"MODEL={(plan.Open ? "open" : "closed")}",
                "-e",
                $"SUMMARY={summary}",
                // A person has agreed already, or the plan would not be.
                .. plan.IsAdmitted
                    ? ["-e", $"CONFIRM_HOST={string.Join(',', plan.Targets.Select(target => target.Host))}"]
                    : Array.Empty<string>(),
                Path.Combine(Repository.Root, "loadtest", "k6", "step-load.js"),
            ];
}
