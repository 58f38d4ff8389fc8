using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Load;

/// <summary>Step load by the stage's k6 script, on this machine or as a Job in a cluster.</summary>
/// <param name="executable">k6, or the script that runs the Job.</param>
/// <remarks>k6 also reads this process's environment: with <c>K6_OUT</c>, its samples go to your own database.</remarks>
internal sealed partial class K6Driver(string name, string executable, string folder) : ILoadDriver
{
    // k6's exit code when a threshold fails, which the lab's own checks replace.
    private const int ThresholdsFailed = 99;

    private static readonly string Scripts = Path.Combine(Repository.Root, "loadtest", "k6");

    private ChildProcess? _k6;

    public string Name => name;

    public TimeSpan Cpu => _k6?.Cpu ?? TimeSpan.Zero;

    public long? Accepted => null;

    public static string RequireExecutable() =>
        Executable.OnPath("k6")
        ?? throw new LabException("k6 is not on PATH. Install it: https://grafana.com/docs/k6/.");

    public static string ScriptPath(string name) => Path.Combine(Scripts, $"{name}.js");

    public static async Task<string> ClusterAsync(CancellationToken cancellationToken)
    {
        var kubectl = Executable.OnPath("kubectl") ?? throw new LabException("--driver job requires kubectl on PATH.");
        string[] arguments = ["config", "current-context"];
        var (exitCode, context, error) = await Executable.RunAsync(kubectl, arguments, cancellationToken);
        return exitCode == 0
            ? $"http://ingestion in the kubectl context {context.Trim()}"
            : throw new LabException(error);
    }

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
            Variables(plan, profile, summary),
            Command(plan, summary)
        );
        _k6 = k6;
        started();
        var exitCode = await k6.Ended.WaitAsync(cancellationToken);
        if (exitCode is not (0 or ThresholdsFailed) || !File.Exists(summary))
            throw new CrashException(k6.Name, exitCode, k6.Log);
        return Read(
            await File.ReadAllTextAsync(summary, cancellationToken),
            await File.ReadAllTextAsync(k6.Log, cancellationToken)
        );
    }

    /// <param name="log">Contains the start time of the load.</param>
    private LoadResult Read(string summary, string log)
    {
        try
        {
            var data = JsonNode.Parse(summary)!;
            var (checks, metrics) = (data["root_group"]!["checks"]!, data["metrics"]!);
            var sent = (long)metrics["http_reqs{scenario:step_load}"]!["count"]!;
            var accepted = (long)checks["status is 202"]!["passes"]!;
            var serverErrors = (long)checks["status is not 5xx"]!["fails"]!;
            var times = metrics["http_req_duration{scenario:step_load}"]!;
            return new(
                Name,
                DateTimeOffset.Parse(Beginning().Match(log).Groups["time"].Value),
                sent,
                accepted,
                serverErrors,
                Failed: sent - accepted - serverErrors,
                Dropped: (long?)metrics["dropped_iterations"]?["count"] ?? 0,
                (double)times["med"]!,
                (double)times["p(95)"]!,
                (double)times["p(99)"]!
            );
        }
        catch (Exception exception) when (exception is JsonException or NullReferenceException or FormatException)
        {
            throw new LabException($"k6 wrote no valid summary to {folder}. Is the disk full? {exception.Message}");
        }
    }

    [GeneratedRegex(@"The load begins at (?<time>[-:.\dTZ]+)\.")]
    private static partial Regex Beginning();

    private Dictionary<string, string> Variables(LoadPlan plan, string profile, string summary)
    {
        var variables = new Dictionary<string, string>
        {
            ["K"] = $"{plan.K}",
            ["MODEL"] = plan.Open ? "open" : "closed",
            ["PREPARED"] = "1",
            ["PROFILE"] = profile,
            ["SEED"] = $"{plan.Seed}",
        };
        if (name == LoadDrivers.Job)
            return variables;
        variables["K6_SUMMARY_EXPORT"] = summary;
        variables["TARGETS"] = string.Join(',', plan.Targets.Select(target => target.ToString().TrimEnd('/')));
        if (plan.Queue is not null)
            variables["QUEUE"] = plan.Queue;
        if (plan.IsAdmitted)
            variables["CONFIRM_HOST"] = string.Join(',', plan.Targets.Select(target => target.Host));
        if (Environment.GetEnvironmentVariable("K6_WEB_DASHBOARD") is not null)
            return variables;
        variables["K6_WEB_DASHBOARD"] = "true";
        variables["K6_WEB_DASHBOARD_PORT"] = "-1"; // no server, only the file
        variables["K6_WEB_DASHBOARD_PERIOD"] = "1s";
        variables["K6_WEB_DASHBOARD_EXPORT"] = Path.Combine(folder, $"k6-{plan.Stage.Id}.html");
        variables["XK6_DASHBOARD_CONFIG"] = Path.Combine(Scripts, "dashboard.json");
        return variables;
    }

    private string[] Command(LoadPlan plan, string summary) =>
        name == LoadDrivers.Job
            ? [executable, plan.Stage.FileName, summary]
            :
            [
                executable,
                "run",
                "--quiet",
                "--no-color",
                "--no-usage-report",
                "--address",
                "",
                ScriptPath(plan.Stage.FileName),
            ];
}
