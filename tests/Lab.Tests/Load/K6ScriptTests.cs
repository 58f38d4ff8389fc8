using System.Globalization;
using System.Runtime.Versioning;
using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Tests.Load;

/// <summary>The scripts in <c>loadtest/k6</c>.</summary>
public sealed class K6ScriptTests
{
    // 2 users for 1 s, then 4, then 6 until 4 s.
    private static readonly StepProfile Profile = new(
        "test",
        "",
        StartUsers: 2,
        StepUsers: 2,
        StepSeconds: 1,
        MaxUsers: 6,
        DurationSeconds: 4,
        RequestEveryMilliseconds: 250,
        Jitter: 0.25
    );

    private static readonly Stage Stage2 = Stage.Load("2");

    // A local address that the script does not recognize as local, without a server.
    private const string Elsewhere = "http://127.0.0.2:1";

    [Theory, InlineData(false), InlineData(true)]
    public async Task K6_sends_what_the_built_in_generator_sends(bool open)
    {
        Assert.SkipWhen(Executable.OnPath("k6") is null, "k6 is not installed");
        await using var server = await RecordingServer.StartAsync();
        await using var other = await RecordingServer.StartAsync();
        var plan = new LoadPlan(Profile with { InstructionsLength = 17_000 }, server.Targets, open, 1)
        {
            Stage = Stage2,
        };

        var result = await RunAsync(plan);
        var own = new OwnDriver(Loopback.CreateClient(), TimeProvider.System);
        await own.RunAsync(new(plan.Profile, other.Targets, open, 1) { Stage = Stage2 }, () => { }, Cancel);

        Assert.Equal((server.Requests.Count, 0, 0), (result.Accepted, result.ServerErrors, result.Failed));
        Assert.Equal(Distinct(other.Requests), Distinct(server.Requests));
        Assert.All([server, other], sent =>
        {
            Assert.Equal(sent.Requests.Count, sent.Requests.Select(PackageOf).Distinct().Count());
            Assert.Equal(3, sent.Requests.DistinctBy(request => request.Port).Count());
            // A busy machine lowers the rate; nothing may raise it.
            Assert.InRange(sent.Requests.Count, 1, Profile.ExpectedRequests * 1.05 + Profile.MaxUsers);
        });

        static string PackageOf(RecordedRequest request) => request.Delivery.PackageInfo.PackageId;

        static (string?, string) Distinct(IEnumerable<RecordedRequest> requests) =>
            requests.Select(request => (request.ContentType, WithoutPackage(request))).Distinct().Single();

        static string WithoutPackage(RecordedRequest request) =>
            JsonSerializer.Serialize(
                JsonDocument.Parse(request.Body.Replace(PackageOf(request), "package-n", StringComparison.Ordinal))
            );
    }

    [Theory, InlineData(false), InlineData(true)]
    [Trait("tier", "nightly")]
    public async Task K6_sends_at_the_rate_of_the_profile(bool open)
    {
        Assert.SkipWhen(Executable.OnPath("k6") is null, "k6 is not installed");
        await using var server = await RecordingServer.StartAsync();

        var result = await RunAsync(new(Profile, server.Targets, open, 1) { Stage = Stage2 });

        Assert.SkipWhen(server.StoodStill, "Inconclusive: the machine stalled during the load.");
        Assert.InRange(result.Accepted, Profile.ExpectedRequests * 0.7, double.MaxValue);
        var middle = server.Requests.Min(request => request.At) + TimeSpan.FromSeconds(Profile.DurationSeconds / 2);
        Assert.True(
            server.Requests.Count(request => request.At > middle) > server.Requests.Count / 2,
            "The number of users doesn't rise in steps."
        );
    }

    [Theory]
    [InlineData(Elsewhere, "", "add -e CONFIRM_HOST=127.0.0.2")]
    [InlineData(Elsewhere, "127.0.0.3", "add -e CONFIRM_HOST=127.0.0.2")]
    [InlineData("ftp://127.0.0.1", "127.0.0.1", "ftp://127.0.0.1 isn't an address like http://HOST:PORT")]
    [InlineData("http://127.0.0.1@example.org", "example.org", "isn't an address like http://HOST:PORT")]
    [InlineData("http://127.0.0.1:1/path", "127.0.0.1", "isn't an address like http://HOST:PORT")]
    public async Task Script_rejects_an_invalid_or_unconfirmed_target(string target, string confirmed, string message)
    {
        var (exitCode, output, error) = await K6Async(
            "run",
            "2-cache",
            "PREPARED=1",
            $"TARGETS={target}",
            $"CONFIRM_HOST={confirmed}"
        );

        Assert.Equal(108, exitCode); // Aborted by the script.
        Assert.Contains(message, error, StringComparison.Ordinal);
        Assert.Contains("'count>0' count=0", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Confirmed_host_receives_the_load()
    {
        Assert.Throws<BadInputException>(() =>
            new LoadPlan(Profile, [new Uri("http://192.0.2.1:5100/")], false, 1) { Stage = Stage2 }
        );
        Assert.SkipWhen(Executable.OnPath("k6") is null, "k6 is not installed");
        var plan = new LoadPlan(Profile with { DurationSeconds = 1 }, [new Uri(Elsewhere)], false, 1, IsAdmitted: true)
        {
            Stage = Stage2,
        };

        var result = await RunAsync(plan);

        Assert.Equal((true, result.Sent), (result.Sent > 0, result.Failed));
    }

    [Fact]
    public async Task Script_names_the_command_that_starts_the_lab()
    {
        var (exitCode, _, error) = await K6Async("run", "4-parallel", "LAB=http://127.0.0.1:1");

        Assert.Equal(108, exitCode);
        Assert.Contains("Start `./lab serve` in another terminal.", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Every_stage_has_a_script_that_matches_its_file()
    {
        foreach (var stage in Stage.All())
        {
            foreach (var k in new[] { 1, 8 })
                AssertIsOf(stage, k, await InspectAsync(stage.FileName, $"K={k}"));
            var script = await File.ReadAllTextAsync(K6Driver.ScriptPath(stage.FileName), Cancel);
            Assert.StartsWith($"// Stage {stage.Id}: {stage.Question}\n", script, StringComparison.Ordinal);
        }
    }

    /// <summary>
    /// The metrics of checks that k6 can't evaluate: they require the lab's telemetry or a stop of Workflow.
    /// </summary>
    private static readonly string[] OnlyLab = ["unaccounted", "telemetry.unaccounted", "telemetry.processMean"];

    private static void AssertIsOf(Stage stage, int k, JsonElement options)
    {
        var profile = StepProfile.Load(stage.Profile);
        var seconds = stage.Knobs.Number("load.duration", profile.DurationSeconds) / k;
        var scenarios = options.GetProperty("scenarios");
        var steps = scenarios.GetProperty("step_load").GetProperty("stages").EnumerateArray().ToList();
        Assert.Equal(stage.Id, options.GetProperty("tags").GetProperty("stage").GetString());
        Assert.Equal(seconds, steps.Sum(step => Seconds(step.GetProperty("duration").GetString()!)), 0.01);
        Assert.Equal(profile.MaxUsers, steps.Max(step => step.GetProperty("target").GetInt32()));
        Assert.True(scenarios.TryGetProperty("observe", out _));
        var expected = stage
            .Checks.Where(check => !OnlyLab.Contains(check.Figure))
            .ToDictionary(MetricOf, check => RangeOf(k == 1 ? check.BandFull ?? check.Band : check.Band));
        var thresholds = options
            .GetProperty("thresholds")
            .EnumerateObject()
            .Where(metric => metric.Value[0].GetString()!.StartsWith("value", StringComparison.Ordinal))
            .ToDictionary(metric => metric.Name, metric => metric.Value.EnumerateArray().Select(it => it.GetString()!));
        Assert.Equal(expected.Keys.Order(), thresholds.Keys.Order());
        Assert.All(expected, metric => Assert.Equal(metric.Value, thresholds[metric.Key]));
    }

    private static string MetricOf(Check check) =>
        Regex.Replace(check.Figure, "[A-Z]", letter => "_" + letter.Value.ToLowerInvariant()).Replace('.', '_')
        + (check.RelativeTo is { } other ? $"_per_stage_{other.Replace('-', '_')}" : "");

    private static IEnumerable<string> RangeOf(Band band)
    {
        if (band.Min is { } min)
            yield return string.Create(CultureInfo.InvariantCulture, $"value>={min}");
        if (band.Max is { } max)
            yield return string.Create(CultureInfo.InvariantCulture, $"value<={max}");
    }

    private static double Seconds(string duration) =>
        Regex
            .Matches(duration, @"([\d.]+)(ms|m|s)")
            .Sum(part =>
                double.Parse(part.Groups[1].Value, CultureInfo.InvariantCulture)
                * part.Groups[2].Value switch
                {
                    "m" => 60,
                    "s" => 1,
                    _ => 0.001,
                }
            );

    [Fact]
    [UnsupportedOSPlatform("windows")]
    public async Task Job_is_announced_with_the_cluster_that_it_loads()
    {
        using var folder = new OwnFolder();
        var kubectl = Path.Combine(folder.Path, "kubectl");
        await File.WriteAllTextAsync(kubectl, "#!/bin/sh\necho kind-lab\n", Cancel);
        File.SetUnixFileMode(kubectl, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        await using var lab = new LabProcess { Path = $"{folder.Path}:{Environment.GetEnvironmentVariable("PATH")}" };

        var result = await lab.RunAsync(
            "run",
            "2",
            "--target",
            "http://localhost:5100",
            "--driver",
            "job",
            "--dry-run",
            "--connection",
            "Endpoint=sb://localhost:5672;SharedAccessKeyName=N;SharedAccessKey=K;UseDevelopmentEmulator=true"
        );

        Assert.Contains(
            "Stage 2 on http://ingestion in the kubectl context kind-lab: ",
            result.Error,
            StringComparison.Ordinal
        );
    }

    /// <summary>Both the script and the lab compute each metric from samples.</summary>
    [Theory]
    [InlineData("1"), InlineData("2"), InlineData("4"), InlineData("5"), InlineData("6")]
    public async Task K6_computes_metrics_as_the_lab_does(string id)
    {
        Assert.SkipWhen(Executable.OnPath("k6") is null, "k6 is not installed");
        var plan = StagePlan.Of(Stage.Load(id), new(8, KnobSet.Empty, null, "", new(0), 1, false));
        var measured = SimulatedStage.Play(plan, 1);
        measured = measured with { ObservedUntil = measured.Series.End, Errors = measured.Series.Last.Errors };
        measured = measured with { Final = measured.Series.Last.Queue };
        var accepted = (long)measured.Series.At(sample => sample.Queue.Incoming, plan.Profile.DurationSeconds);
        measured = measured with { Load = measured.Load with { Accepted = accepted } };
        var run = new
        {
            samples = measured.Series.Samples.Select(FlatOf),
            profile = plan.Profile,
            binSeconds = plan.BinSeconds,
            heldAtMost = plan.HeldAtMost,
        };

        var figures = await FiguresByK6Async(JsonSerializer.Serialize(run, JsonSerializerOptions.Web));

        Assert.NotEmpty(figures);
        Assert.All(figures, figure =>
        {
            var expected = FigureTable.Find(figure.Key).Of(measured);
            if (double.IsFinite(expected))
                Assert.Equal(expected, figure.Value ?? double.NaN, 1e-3 * Math.Max(1, Math.Abs(expected)));
            else
                Assert.Null(figure.Value);
        });
    }

    private static Dictionary<string, object> FlatOf(Sample sample)
    {
        var flat = new Dictionary<string, object>
        {
            ["at"] = sample.At,
            ["incoming"] = sample.Queue.Incoming,
            ["outgoing"] = sample.Queue.Outgoing,
            ["completed"] = sample.Queue.Completed,
            ["redelivered"] = sample.Queue.Redelivered,
            ["deadLettered"] = sample.Queue.DeadLettered,
            ["lateCompletes"] = sample.Queue.LateCompletes,
            ["lateDeadLetters"] = sample.Queue.LateDeadLetters,
            ["distinct"] = sample.Queue.Distinct,
            ["queued"] = sample.Queue.Queued,
            ["maxUnsettled"] = sample.Queue.MaxUnsettled,
            ["errors"] = sample.Errors,
            ["outOfMemory"] = sample.OutOfMemory,
        };
        foreach (var (node, busy) in sample.NodesBusy.Index())
            flat[$"node{node}"] = busy;
        return flat;
    }

    private static async Task<Dictionary<string, double?>> FiguresByK6Async(string run)
    {
        using var folder = new OwnFolder();
        var input = Path.Combine(folder.Path, "run.json");
        await File.WriteAllTextAsync(input, run, Cancel);
        var (exitCode, output, error) = await K6Async(
            folder,
            $$"""
            import { figures } from '{{Library("figures.js")}}';
            const run = JSON.parse(open('{{input}}'));
            export default function () {}
            export const handleSummary = () => ({
              stdout: JSON.stringify(Object.fromEntries(Object.entries(figures.lab).map(([name, of]) => [name, of(run)]))),
            });
            """
        );
        Assert.True(exitCode == 0, error);
        return JsonSerializer.Deserialize<Dictionary<string, double?>>(output)!;
    }

    /// <summary>Like in Azure, where a queue has no counters.</summary>
    [Fact]
    public async Task K6_reads_the_queue_length_from_the_management_API()
    {
        Assert.SkipWhen(Executable.OnPath("k6") is null, "k6 is not installed");
        await using var broker = await BrokerFixture.StartAsync(cancellationToken: Cancel);
        await QueuePreload.SendAsync(broker.ConnectionString, BrokerCounters.QueueName, 3, 0, due: default, Cancel);
        using var folder = new OwnFolder();

        var result = await K6Async(
            folder,
            $$"""
            import { check } from 'k6';
            import http from 'k6/http';
            import { ofDescription, tokenFor } from '{{Library("queue.js")}}';
            const host = '{{broker.Broker.Address.Authority}}';
            const token = tokenFor({ SharedAccessKeyName: 'RootManageSharedAccessKey', SharedAccessKey: 'SAS_KEY_VALUE' }, host);
            export const options = { thresholds: { checks: ['rate==1'] } };
            export default function () {
              const url = `http://${host}/{{BrokerCounters.QueueName}}?api-version=2021-05`;
              const response = http.get(url, { headers: { Authorization: token } });
              check(ofDescription(response.body), { 'three messages': ({ queued, deadLetter }) => queued === 3 && deadLetter === 0 });
            }
            """
        );

        Assert.True(result.ExitCode == 0, result.Output + result.Error);
    }

    private static string Library(string file) => Path.Combine(Repository.Root, "loadtest", "k6", "lib", file);

    private static async Task<(int ExitCode, string Output, string Error)> K6Async(OwnFolder folder, string script)
    {
        var file = Path.Combine(folder.Path, "script.js");
        await File.WriteAllTextAsync(file, script, Cancel);
        return await TestProcess.RunAsync("k6", "run", "--quiet", "--address", "", file);
    }

    private static async Task<LoadResult> RunAsync(LoadPlan plan)
    {
        using var folder = new OwnFolder();
        var k6 = new K6Driver(LoadDrivers.K6, K6Driver.RequireExecutable(), folder.Path);
        var result = await k6.RunAsync(plan, () => { }, Cancel);
        if (plan.Profile.DurationSeconds > 2) // k6 writes no report for shorter loads.
        {
            Assert.Contains(
                "<html",
                await File.ReadAllTextAsync(Path.Combine(folder.Path, $"k6-{plan.Stage.Id}.html"), Cancel),
                StringComparison.Ordinal
            );
        }

        return result;
    }

    private static async Task<JsonElement> InspectAsync(string script, params string[] variables)
    {
        var (exitCode, output, error) = await K6Async("inspect", script, variables);
        Assert.True(exitCode == 0, error);
        return JsonDocument.Parse(output).RootElement;
    }

    private static async Task<(int ExitCode, string Output, string Error)> K6Async(
        string verb,
        string script,
        params string[] variables
    )
    {
        Assert.SkipWhen(Executable.OnPath("k6") is null, "k6 is not installed");
        string[] flags = verb == "run" ? ["--quiet", "--no-color", "--no-usage-report", "--address", ""] : [];
        var environment = variables.SelectMany(variable => new[] { "-e", variable });
        return await TestProcess.RunAsync("k6", [verb, .. flags, .. environment, K6Driver.ScriptPath(script)]);
    }
}
