using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Tests.Load;

public sealed class DriverTests
{
    private static readonly Stage Stage2 = Stage.Load("2");

    // 2 users until 1 s, then 4, and then 6 until 4 s.
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
    public async Task Built_in_generator_follows_the_load_profile(bool open)
    {
        var (arrivals, result) = await PlayAsync(answerAfter: TimeSpan.Zero, open);

        Assert.Equal((arrivals.Count, arrivals.Count), (result.Sent, result.Accepted));
        Assert.Equal((0, 0, 0), (result.ServerErrors, result.Failed, result.Dropped));
        // A user sends immediately when it starts, and then every 250 ms ± 25 %.
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
    // One request per second for each active user (2 + 4 + 6 + 6), and one more for each of the four that start later.
    [InlineData(false, 22)]
    [InlineData(true, 72)]
    public async Task Slow_response_slows_a_closed_load_but_not_an_open_one(bool open, int requests)
    {
        var (arrivals, _) = await PlayAsync(answerAfter: TimeSpan.FromSeconds(1), open);

        Assert.InRange(arrivals.Count, requests - 4, requests + Profile.MaxUsers);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task Late_timers_do_not_lower_the_rate(bool open)
    {
        var (arrivals, _) = await PlayAsync(
            answerAfter: TimeSpan.Zero,
            open,
            timersLate: TimeSpan.FromMilliseconds(100)
        );

        Assert.InRange(arrivals.Count, Profile.ExpectedRequests, Profile.ExpectedRequests + Profile.MaxUsers);
    }

    [Fact]
    public async Task Open_load_drops_requests_over_the_limit_in_flight()
    {
        // 4,000 requests, one per millisecond, with just enough or one too many in flight.
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

    [Fact]
    public async Task Errors_and_missing_responses_are_counted_separately()
    {
        await using var server = await RecordingServer.StartAsync(StatusCodes.Status500InternalServerError);
        var broken = await new OwnDriver(Loopback.CreateClient(), TimeProvider.System).RunAsync(
            new LoadPlan(Profile with { DurationSeconds = 0.5, InstructionsLength = 17_000 }, server.Targets, false, 1)
            {
                Stage = Stage2,
            },
            () => { },
            Cancel
        );
        var nobody = await new OwnDriver(Loopback.CreateClient(), TimeProvider.System).RunAsync(
            new LoadPlan(Profile with { DurationSeconds = 0.5 }, [new Uri("http://127.0.0.1:1/")], false, 1)
            {
                Stage = Stage2,
            },
            () => { },
            Cancel
        );

        Assert.Equal((0, broken.Sent, 0), (broken.Accepted, broken.ServerErrors, broken.Failed));
        Assert.All(server.Requests, request => Assert.Equal(17_000, request.Delivery.Instructions!.Length));
        Assert.Equal((0, 0, nobody.Sent), (nobody.Accepted, nobody.ServerErrors, nobody.Failed));
        Assert.True(nobody.Sent > 0);
    }

    /// <summary>
    /// Runs the built-in load generator on a manual clock and against an in-memory server, so that no machine is too
    /// slow.
    /// </summary>
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
            new LoadPlan(profile ?? Profile, targets, open, 1) { Stage = Stage2 },
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
}
