using System.Collections.Concurrent;
using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Lab.Tests.Load;

public sealed class DriverTests
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

    [Theory, InlineData(false), InlineData(true)]
    public async Task The_own_driver_sends_what_the_profile_says(bool open)
    {
        var (arrivals, result) = await PlayAsync(answerAfter: TimeSpan.Zero, open);

        Assert.Equal((arrivals.Count, arrivals.Count), (result.Sent, result.Accepted));
        Assert.Equal((0, 0, 0), (result.ServerErrors, result.Failed, result.Dropped));
        // A user sends at once when it begins, and then every 250 ms ± 25 %.
        Assert.InRange(arrivals.Count, Profile.ExpectedRequests, Profile.ExpectedRequests + Profile.MaxUsers);
        Assert.All(Enumerable.Range(0, 4), second =>
            Assert.InRange(
                arrivals.Count(arrival => (int)arrival.At == second),
                Profile.UsersAt(second) * 3,
                Profile.UsersAt(second) * 5 + 2
            )
        );
        var replicas = arrivals.CountBy(arrival => arrival.Port).Select(replica => replica.Value).ToList();
        Assert.InRange(replicas.Min(), replicas.Max() - 1, replicas.Max());
    }

    [Theory]
    [InlineData(false, 22)] // one request a second for each second of each user: 2 + 4 + 6 + 6, and one more for the four that begin later
    [InlineData(true, 72)]
    public async Task A_slow_answer_slows_a_closed_load_and_not_an_open_one(bool open, int requests)
    {
        var (arrivals, _) = await PlayAsync(answerAfter: TimeSpan.FromSeconds(1), open);

        Assert.InRange(arrivals.Count, requests - 4, requests + Profile.MaxUsers);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task Timers_that_come_late_do_not_lower_the_rate(bool open)
    {
        var (arrivals, _) = await PlayAsync(
            answerAfter: TimeSpan.Zero,
            open,
            timersLate: TimeSpan.FromMilliseconds(100)
        );

        Assert.InRange(arrivals.Count, Profile.ExpectedRequests, Profile.ExpectedRequests + Profile.MaxUsers);
    }

    [Fact]
    public async Task An_open_load_drops_what_finds_no_place_and_an_answer_gives_its_place_back()
    {
        // 4,000 requests, one a millisecond, of which so many are under way that all places are just taken, or one too many.
        var many = Profile with
        {
            StartUsers = 1,
            StepUsers = 1,
            MaxUsers = 1,
            RequestEveryMilliseconds = 1,
            Jitter = 0,
        };

        var (arrivals, fits) = await PlayAsync(
            TimeSpan.FromMilliseconds(LoadPlan.MaxInFlight - 10),
            open: true,
            profile: many
        );
        Assert.Equal((4_000, 4_000, 0), (arrivals.Count, fits.Accepted, fits.Dropped));

        var (_, tooMany) = await PlayAsync(
            TimeSpan.FromMilliseconds(2 * LoadPlan.MaxInFlight),
            open: true,
            profile: many
        );
        Assert.InRange(tooMany.Sent, 1.9 * LoadPlan.MaxInFlight, 2.1 * LoadPlan.MaxInFlight);
        Assert.Equal(4_000, tooMany.Sent + tooMany.Dropped);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task K6_sends_the_load_of_the_profile_to_all_replicas(bool open)
    {
        Assert.SkipWhen(Executable.OnPath("k6") is null, "k6 is not installed");
        await using var server = await RecordingServer.StartAsync();
        var plan = new LoadPlan(Profile with { InstructionsLength = 17_000 }, server.Targets, open, 1) { Stage = "2" };

        var result = await PlayByK6Async(plan);

        Assert.Equal(server.Requests.Count, result.Accepted);
        Assert.All(server.Requests, request => Assert.Equal(17_000, request.Instructions));
        // A busy machine lowers the rate; nothing may raise it.
        Assert.InRange(result.Accepted, 1, Profile.ExpectedRequests * 1.05 + Profile.MaxUsers);
        var replicas = server.Requests.CountBy(request => request.Port).ToList();
        Assert.Equal(server.Targets.Count, replicas.Count);
        Assert.InRange(replicas.Min(replica => replica.Value), result.Accepted / 4, result.Accepted);
    }

    [Theory, InlineData(false), InlineData(true)]
    [Trait("tier", "nightly")]
    public async Task K6_holds_the_rate_of_the_profile(bool open)
    {
        Assert.SkipWhen(Executable.OnPath("k6") is null, "k6 is not installed");
        await using var server = await RecordingServer.StartAsync();

        var result = await PlayByK6Async(new(Profile, server.Targets, open, 1));

        Assert.SkipWhen(server.StoodStill, "Inconclusive: the machine stood still during the load.");
        Assert.InRange(result.Accepted, Profile.ExpectedRequests * 0.7, double.MaxValue);
        var middle = server.Requests.Min(request => request.At) + TimeSpan.FromSeconds(Profile.DurationSeconds / 2);
        Assert.True(
            server.Requests.Count(request => request.At > middle) > server.Requests.Count / 2,
            "users do not step up"
        );
    }

    private static async Task<LoadResult> PlayByK6Async(LoadPlan plan)
    {
        using var folder = new OwnFolder();
        var result = await K6Driver.Find(folder.Path)!.RunAsync(plan, () => { }, Cancel);
        if (plan.Stage is not null) // k6 leaves its own report
        {
            Assert.Contains(
                "<html",
                await File.ReadAllTextAsync(Path.Combine(folder.Path, "k6-2.html"), Cancel),
                StringComparison.Ordinal
            );
        }

        return result;
    }

    // Of this machine, but not by the name that the script knows: nobody answers there.
    private const string Elsewhere = "http://127.0.0.2:1";

    [Theory]
    [InlineData(Elsewhere, "", "name its host once more: -e CONFIRM_HOST=127.0.0.2")]
    [InlineData(Elsewhere, "127.0.0.3", "name its host once more: -e CONFIRM_HOST=127.0.0.2")]
    [InlineData("ftp://127.0.0.1", "127.0.0.1", "ftp://127.0.0.1 is not an address like http://HOST:PORT")]
    [InlineData("http://127.0.0.1@example.org", "example.org", "is not an address like http://HOST:PORT")]
    [InlineData("http://127.0.0.1:1/path", "127.0.0.1", "is not an address like http://HOST:PORT")]
    public async Task K6_refuses_what_is_no_address_and_another_machine_unless_its_host_is_named_once_more(
        string target,
        string confirmed,
        string said
    )
    {
        var (exitCode, _, error) = await K6Async($"TARGETS={target}", $"CONFIRM_HOST={confirmed}");

        Assert.Equal(107, exitCode); // an exception of the script, before any request
        Assert.Contains(said, error, StringComparison.Ordinal);
        Assert.DoesNotContain("Step load on", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task K6_sends_to_a_host_that_was_named_once_more_and_says_so_in_words_beside_the_JSON()
    {
        var (exitCode, output, error) = await K6Async($"TARGETS={Elsewhere}", "CONFIRM_HOST=other.example,127.0.0.2");

        Assert.Equal(99, exitCode); // nobody answers: thresholds
        using var json = JsonDocument.Parse(output);
        var sent = json.RootElement.GetProperty("sent").GetInt32();
        Assert.Equal((true, sent), (sent > 0, json.RootElement.GetProperty("failed").GetInt32()));
        Assert.Contains($"Step load on {Elsewhere}: 2 to 6 users in 1 s", error, StringComparison.Ordinal);
        Assert.Matches($@"sent +{sent}\n +accepted \(202\) +0 \(0 %\)\n", error);
    }

    [Fact]
    public async Task Load_goes_to_this_machine_only_and_elsewhere_if_a_person_has_agreed_which_the_driver_confirms()
    {
        Assert.Throws<BadInputException>(() => new LoadPlan(Profile, [new Uri("http://192.0.2.1:5100/")], false, 1));
        Assert.SkipWhen(Executable.OnPath("k6") is null, "k6 is not installed");
        var plan = new LoadPlan(Profile with { DurationSeconds = 1 }, [new Uri(Elsewhere)], false, 1, IsAdmitted: true);

        var result = await PlayByK6Async(plan);

        Assert.Equal((true, result.Sent), (result.Sent > 0, result.Failed));
    }

    [Fact]
    public async Task K6_knows_the_load_of_every_stage()
    {
        foreach (var stage in Stage.All())
        {
            var (exitCode, output, error) = await K6Async(["inspect"], $"STAGE={stage.Id}");

            Assert.True(exitCode == 0, error);
            using var options = JsonDocument.Parse(output);
            Assert.Equal(stage.Id, options.RootElement.GetProperty("tags").GetProperty("stage").GetString());
            var steps = options
                .RootElement.GetProperty("scenarios")
                .GetProperty("load")
                .GetProperty("stages")
                .EnumerateArray();
            Assert.Equal(SecondsOf(stage), steps.Sum(step => Seconds(step.GetProperty("duration").GetString()!)));
        }

        var (refused, _, why) = await K6Async(["inspect"], "STAGE=7");
        Assert.NotEqual(0, refused);
        Assert.Contains("7 is not a stage. There are: 1, 2, 3, 4,", why, StringComparison.Ordinal);

        static double SecondsOf(Stage stage) =>
            stage.Knobs.Number("load.duration", StepProfile.Load(stage.Profile).DurationSeconds);
        static double Seconds(string duration) =>
            Regex
                .Matches(duration, @"([\d.]+)(m|s)")
                .Sum(part =>
                    double.Parse(part.Groups[1].Value, CultureInfo.InvariantCulture)
                    * (part.Groups[2].Value == "m" ? 60 : 1)
                );
    }

    [Fact]
    public async Task Answers_other_than_202_and_none_at_all_are_counted_apart_and_requests_are_as_long_as_the_profile_says()
    {
        await using var server = await RecordingServer.StartAsync(StatusCodes.Status500InternalServerError);
        var broken = await new OwnDriver(Loopback.CreateClient(), TimeProvider.System).RunAsync(
            new LoadPlan(Profile with { DurationSeconds = 0.5, InstructionsLength = 17_000 }, server.Targets, false, 1),
            () => { },
            Cancel
        );
        var nobody = await new OwnDriver(Loopback.CreateClient(), TimeProvider.System).RunAsync(
            new LoadPlan(Profile with { DurationSeconds = 0.5 }, [new Uri("http://127.0.0.1:1/")], false, 1),
            () => { },
            Cancel
        );

        Assert.Equal((0, broken.Sent, 0), (broken.Accepted, broken.ServerErrors, broken.Failed));
        Assert.All(server.Requests, request => Assert.Equal(17_000, request.Instructions));
        Assert.Equal((0, 0, nobody.Sent), (nobody.Accepted, nobody.ServerErrors, nobody.Failed));
        Assert.True(nobody.Sent > 0);
    }

    private static async Task<(int ExitCode, string Output, string Error)> K6Async(params string[] variables)
    {
        var profile = Path.GetTempFileName();
        await File.WriteAllTextAsync(
            profile,
            JsonSerializer.Serialize(Profile with { DurationSeconds = 1 }, JsonSerializerOptions.Web),
            Cancel
        );
        var answer = await K6Async(
            ["run", "--quiet", "--no-color", "--no-usage-report", "--address", ""],
            [.. variables, $"PROFILE={profile}"]
        );
        File.Delete(profile);
        return answer;
    }

    private static async Task<(int ExitCode, string Output, string Error)> K6Async(
        string[] verb,
        params string[] variables
    )
    {
        Assert.SkipWhen(Executable.OnPath("k6") is null, "k6 is not installed");
        string[] arguments =
        [
            .. verb,
            .. variables.SelectMany(it => new[] { "-e", it }),
            Path.Combine(Repository.Root, "loadtest", "k6", "step-load.js"),
        ];
        return await Saying.RunAsync("k6", arguments);
    }

    /// <summary>The own driver on a clock of our own, with a server in its stead: no machine is too slow for it.</summary>
    private static async Task<(IReadOnlyList<(double At, int Port)> Arrivals, LoadResult Result)> PlayAsync(
        TimeSpan answerAfter,
        bool open,
        TimeSpan timersLate = default,
        StepProfile? profile = null
    )
    {
        var clock = new LateTimers(timersLate);
        var server = new ServerOnAClock(clock, answerAfter);
        using var http = new HttpMessageInvoker(server);
        var targets = Enumerable.Range(5100, 3).Select(port => new Uri($"http://127.0.0.1:{port}/")).ToList();

        var running = new OwnDriver(http, clock).RunAsync(
            new LoadPlan(profile ?? Profile, targets, open, 1),
            () => { },
            Cancel
        );
        clock.Advance(TimeSpan.FromSeconds(10));
        return (server.Arrivals, await running);
    }

    private sealed class LateTimers(TimeSpan late) : ManualTimeProvider
    {
        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            base.CreateTimer(callback, state, dueTime + late, period);
    }

    private sealed class ServerOnAClock(TimeProvider clock, TimeSpan answerAfter) : HttpMessageHandler
    {
        private readonly long _start = clock.GetTimestamp();

        public List<(double At, int Port)> Arrivals { get; } = [];

        protected override async Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request,
            CancellationToken cancellationToken
        )
        {
            Arrivals.Add((clock.GetElapsedTime(_start).TotalSeconds, request.RequestUri!.Port));
            if (answerAfter > TimeSpan.Zero)
                await Task.Delay(answerAfter, clock, cancellationToken);
            return new HttpResponseMessage(System.Net.HttpStatusCode.Accepted);
        }
    }

    private sealed class RecordingServer : IAsyncDisposable
    {
        private readonly WebApplication _app;
        private readonly long _start = Stopwatch.GetTimestamp();

        private RecordingServer(WebApplication app) => _app = app;

        /// <summary>When each came, at which port, and with how many characters of instructions.</summary>
        public ConcurrentBag<(TimeSpan At, int Port, int Instructions)> Requests { get; } = [];

        public IReadOnlyList<Uri> Targets => [.. _app.Urls.Select(url => new Uri(url))];

        /// <summary>Whether no request came for several times as long as the users of the profile pause.</summary>
        public bool StoodStill
        {
            get
            {
                var times = Requests.Select(request => request.At).Order().ToList();
                return times.Zip(times.Skip(1)).Any(pair => pair.Second - pair.First > TimeSpan.FromSeconds(0.8));
            }
        }

        public static async Task<RecordingServer> StartAsync(int status = StatusCodes.Status202Accepted)
        {
            var builder = WebApplication.CreateSlimBuilder();
            builder.Logging.ClearProviders();
            builder.WebHost.ConfigureKestrel(kestrel =>
            {
                for (var replica = 0; replica < 3; replica++)
                    kestrel.Listen(System.Net.IPAddress.Loopback, 0);
            });
            var server = new RecordingServer(builder.Build());
            server._app.MapPost("/api/deliveryrequests", async context =>
            {
                var request = await context.Request.ReadFromJsonAsync<DeliveryRequest>(
                    ContractJson.Options,
                    context.RequestAborted
                );
                server.Requests.Add(
                    (
                        Stopwatch.GetElapsedTime(server._start),
                        context.Connection.LocalPort,
                        request!.Instructions?.Length ?? 0
                    )
                );
                context.Response.StatusCode = status;
            });
            await server._app.StartAsync(Cancel);
            return server;
        }

        public ValueTask DisposeAsync() => _app.DisposeAsync();
    }
}
