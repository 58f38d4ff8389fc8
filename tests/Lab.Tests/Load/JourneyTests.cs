using System.Collections.Concurrent;
using Microsoft.AspNetCore.Builder;

namespace DroneDelivery.Lab.Tests.Load;

public sealed class JourneyTests
{
    private static readonly Uri Address = new("http://127.0.0.1:1/");
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20),
        InRealTime = TimeSpan.FromMinutes(2);

    [Fact]
    public async Task The_Location_is_asked_until_the_delivery_is_recorded()
    {
        var asked = new ConcurrentQueue<string>();
        using var http = new HttpClient(
            new FakeIngestion(path =>
            {
                asked.Enqueue(path);
                return asked.Count < 3 ? new(HttpStatusCode.Accepted) : FakeIngestion.Recorded("d0");
            })
        );

        var journey = Assert.Single(
            await new Journeys(http, TimeProvider.System, [Address]).SendAsync(1, 1, InRealTime, Cancel)
        );

        Assert.Equal(Enumerable.Repeat("/api/deliveryrequests/d0?acceptance=T", 3), asked);
        Assert.Equal(("d0", DeliveryStage.Created, null), (journey.DeliveryId, journey.Status!.Stage, journey.Failure));
        Assert.True(journey.Took > TimeSpan.Zero);
        var report = JourneyReport.Of([journey]);
        Assert.Empty(report.NotDelivered);
        Assert.Equal(new Uri(Address, asked.First()), report.Last!.Url);
        Assert.Contains("1 of 1 delivered; from request to delivery p50", report.ToString(), StringComparison.Ordinal);
        Assert.Contains(
            "The last one is Created, due 2030-01-01 10:00 UTC: http://127.0.0.1:1/api/",
            report.ToString(),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Each_cause_is_told_with_its_number()
    {
        var clock = new ManualTimeProvider();
        using var http = new HttpClient(
            new FakeIngestion(
                path =>
                    path.Contains("/d0", StringComparison.Ordinal) ? FakeIngestion.Recorded("d0")
                    : path.Contains("/d1", StringComparison.Ordinal) ? new(HttpStatusCode.Gone)
                    : path.Contains("/d2", StringComparison.Ordinal) ? new(HttpStatusCode.Accepted)
                    : FakeIngestion.Problem("The status is not available"),
                request =>
                    request switch
                    {
                        < 5 => null,
                        5 => FakeIngestion.Problem("The queue is full"),
                        6 => new(HttpStatusCode.BadRequest),
                        _ => throw new HttpRequestException("Connection refused (127.0.0.1:1)"),
                    }
            )
        );

        var journeys = await PlayAsync(clock, new Journeys(http, clock, [Address]), count: 8, callers: 8);

        Assert.Equal(
            new Dictionary<string, int>
            {
                ["accepted, but not recorded within 20 s; the last answer was 503 The status is not available"] = 2,
                ["accepted, but not recorded within 20 s; the last answer was 202"] = 1,
                ["accepted, then 410"] = 1,
                ["refused with 503 The queue is full"] = 1,
                ["refused with 400"] = 1,
                ["no answer (Connection refused)"] = 1,
            },
            JourneyReport.Of(journeys).NotDelivered
        );
        Assert.Equal(1, journeys.Count(journey => !journey.IsAnswered));
        Assert.StartsWith("1 of 8 delivered; ", JourneyReport.Of(journeys).ToString(), StringComparison.Ordinal);
        Assert.Contains(
            "\n      2  accepted, but not",
            JourneyReport.Of(journeys).ToString(),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task It_is_told_how_many_ended_in_which_stage_and_a_failed_one_is_not_delivered()
    {
        using var http = new HttpClient(
            new FakeIngestion(path =>
                path.Split('?')[0][^1] switch
                {
                    '0' => FakeIngestion.Recorded("d0"),
                    '1' => FakeIngestion.Recorded("d1", DeliveryStage.HeadedToPickup),
                    '2' => FakeIngestion.Failed("d2", "urn:drone-delivery:no-suitable-drone"),
                    '3' => FakeIngestion.Recorded("d3"),
                    _ => FakeIngestion.Problem("Conflict", HttpStatusCode.Conflict),
                }
            )
        );

        var report = JourneyReport.Of(
            await new Journeys(http, TimeProvider.System, [Address]).SendAsync(5, 5, InRealTime, Cancel)
        );

        Assert.Equal((5, 3), (report.Sent, report.Delivered));
        Assert.Equal(
            [(DeliveryStage.Created, 2), (DeliveryStage.HeadedToPickup, 1), (DeliveryStage.Failed, 1)],
            report.Stages.Select(stage => (stage.Key, stage.Value))
        );
        Assert.Equal(1, report.NotDelivered["accepted, then failed: urn:drone-delivery:no-suitable-drone"]);
        Assert.Equal(1, report.NotDelivered["accepted, then 409 Conflict"]);
        Assert.Contains(
            "\nStages: 2 Created, 1 HeadedToPickup, 1 Failed.\n",
            report.ToString(),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task A_delivery_that_is_refused_is_in_the_exit_code()
    {
        await using var refuses = LabHost.Create("http://127.0.0.1:0", mostBytes: 1 << 20);
        refuses.Run(context =>
        {
            context.Response.StatusCode = 400;
            return Task.CompletedTask;
        });
        await refuses.StartAsync(Cancel);
        await using var lab = new LabProcess();
        var folder = Directory.CreateDirectory(Path.Combine(lab.Artifacts, "lab")).FullName;
        await using var held = new FileStream(
            Path.Combine(folder, "lock"),
            FileMode.Create,
            FileAccess.ReadWrite,
            FileShare.None
        );
        var ingestion = new ReplicaState("ingestion", 0, Environment.ProcessId, new Uri(refuses.Urls.First()));
        var state = new LabState("up", 1, DateTimeOffset.UnixEpoch, "", Address, "", "127.0.0.1:1", [ingestion]);
        await File.WriteAllTextAsync(
            Path.Combine(folder, "state.json"),
            JsonSerializer.Serialize(state, JsonSerializerOptions.Web),
            Cancel
        );

        var (exitCode, output, _) = await lab.RunAsync("send", "-n", "1");

        Assert.Equal(1, exitCode);
        Assert.Contains("refused with 400", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task As_long_as_some_arrive_no_more_than_the_callers_are_under_way()
    {
        var clock = new ManualTimeProvider();
        var ingestion = new FakeIngestion(path => FakeIngestion.Recorded("d"));
        using var http = new HttpClient(ingestion);

        await new Journeys(http, clock, [Address]).SendAsync(50, 4, Patience, Cancel);

        Assert.InRange(ingestion.MostUnderWay, 1, 4);
    }

    [Fact]
    public async Task Time_outs_pass_side_by_side_and_each_delivery_is_asked_for_each_second()
    {
        const int Count = 200;
        var clock = new ManualTimeProvider();
        var asked = 0;
        using var http = new HttpClient(
            new FakeIngestion(_ =>
            {
                Interlocked.Increment(ref asked);
                return new(HttpStatusCode.Accepted);
            })
        );
        var began = clock.GetUtcNow();

        var journeys = await PlayAsync(clock, new Journeys(http, clock, [Address]), Count, callers: 2);

        Assert.All(journeys, journey => Assert.Null(journey.Status));
        // The first two stall the others for a quarter of the limit; in sequence, all would take 100 times the limit.
        Assert.Equal(1.25 * Patience, clock.GetUtcNow() - began);
        // At first after 5, 10, 20 ms and so on, then five times a second.
        Assert.InRange(asked, Count * 5 * (int)Patience.TotalSeconds, Count * 6 * (int)Patience.TotalSeconds);
    }

    [Fact]
    public async Task What_is_known_when_it_is_stopped_is_told()
    {
        using var stop = new CancellationTokenSource();
        using var http = new HttpClient(
            new FakeIngestion(path =>
                path.Contains("/d0", StringComparison.Ordinal)
                    ? FakeIngestion.Recorded("d0")
                    : new(HttpStatusCode.Accepted)
            )
        );
        var journeys = new Journeys(http, TimeProvider.System, [Address]);
        var sending = journeys.SendAsync(100, 3, TimeSpan.FromMinutes(10), stop.Token);
        await UntilAsync(() => journeys is { Ended.Count: 1, Sent: 4 });

        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending);
        var report = JourneyReport.Of([.. journeys.Ended], journeys.Sent - journeys.Ended.Count);
        Assert.Equal((4, 1, 3), (report.Sent, report.Delivered, report.NotDelivered["under way when it was stopped"]));
    }

    [Fact]
    public async Task A_replica_that_does_not_know_the_delivery_hides_it_not()
    {
        using var http = new HttpClient(
            new FakeIngestion(path => FakeIngestion.Recorded("d0"), knowsNothing: Address.Port)
        );

        var journeys = new Journeys(http, TimeProvider.System, [Address, new("http://127.0.0.1:2/")]);
        var journey = Assert.Single(await journeys.SendAsync(1, 1, TimeSpan.FromSeconds(60), Cancel));

        Assert.NotNull(journey.Status);
    }

    [Fact]
    public async Task One_that_went_without_a_place_leaves_none_behind()
    {
        var clock = new ManualTimeProvider();
        using var places = new Places(2, TimeSpan.FromSeconds(5), clock);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var (first, second) = (await places.TakeAsync(Cancel), await places.TakeAsync(Cancel));
        clock.Advance(TimeSpan.FromSeconds(6));
        (await places.TakeAsync(Cancel)).Leave(arrived: false);
        first.Leave(arrived: true);
        second.Leave(arrived: true);

        await places.TakeAsync(Cancel);
        await places.TakeAsync(Cancel);
        var third = places.TakeAsync(stop.Token);

        Assert.False(third.IsCompleted);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => third);
    }

    private static async Task<IReadOnlyList<Journey>> PlayAsync(
        ManualTimeProvider clock,
        Journeys journeys,
        int count,
        int callers
    )
    {
        return await clock.AdvanceUntilAsync(journeys.SendAsync(count, callers, Patience, Cancel), IsWaiting);

        // Each journey that is under way has its own limit and waits until it asks again; the next one may wait for a place.
        bool IsWaiting()
        {
            var timers = clock.PendingTimers; // first: what a journey registers it has counted as sent before
            var sent = journeys.Sent;
            return timers == 2 * (sent - journeys.Ended.Count) + (sent < count ? 1 : 0);
        }
    }

    /// <param name="status">The answer to a GET, by path and query.</param>
    /// <param name="request">The answer to the n-th POST; null: accepted.</param>
    /// <param name="knowsNothing">The port of a replica that knows no delivery.</param>
    private sealed class FakeIngestion(
        Func<string, HttpResponseMessage> status,
        Func<int, HttpResponseMessage?>? request = null,
        int knowsNothing = 0
    ) : HttpMessageHandler
    {
        private int _posts = -1,
            _underWay;

        /// <summary>Deliveries between their request and the answer that they are recorded.</summary>
        public int MostUnderWay { get; private set; }

        public static HttpResponseMessage Recorded(string id, DeliveryStage stage = DeliveryStage.Created) =>
            Told(
                new()
                {
                    DeliveryId = id,
                    Stage = stage,
                    LastKnownLocation = new() { Latitude = 1, Longitude = 1 },
                    PickupEta = new(2030, 1, 1, 9, 0, 0, TimeSpan.Zero),
                    DeliveryEta = new(2030, 1, 1, 10, 0, 0, TimeSpan.Zero),
                    Events = [],
                }
            );

        public static HttpResponseMessage Failed(string id, string reason) =>
            Told(
                new()
                {
                    DeliveryId = id,
                    Stage = DeliveryStage.Failed,
                    Failure = new() { Reason = reason, Detail = "It cannot be done." },
                    Events = [],
                }
            );

        private static HttpResponseMessage Told(DeliveryStatus status) =>
            new(HttpStatusCode.OK) { Content = JsonContent.Create(status, options: ContractJson.Options) };

        public static HttpResponseMessage Problem(
            string title,
            HttpStatusCode status = HttpStatusCode.ServiceUnavailable
        ) =>
            new(status)
            {
                Content = new StringContent($$"""{"title":"{{title}}"}""", Encoding.UTF8, "application/problem+json"),
            };

        protected override async Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage message,
            CancellationToken cancellationToken
        )
        {
            await Task.Yield();
            if (message.Method != HttpMethod.Post)
            {
                var uri = message.RequestUri!;
                var answer = uri.Port == knowsNothing ? new(HttpStatusCode.NotFound) : status(uri.PathAndQuery);
                if (answer.StatusCode == HttpStatusCode.OK)
                    Interlocked.Decrement(ref _underWay);
                return answer;
            }

            MostUnderWay = Math.Max(MostUnderWay, Interlocked.Increment(ref _underWay));
            var number = Interlocked.Increment(ref _posts);
            if (request?.Invoke(number) is { } refusal)
                return refusal;
            var sent = (
                await message.Content!.ReadFromJsonAsync<DeliveryRequest>(ContractJson.Options, cancellationToken)
            )!;
            var body = sent with { DeliveryId = $"d{number}" };
            return new(HttpStatusCode.Accepted)
            {
                Headers = { Location = new Uri($"/api/deliveryrequests/d{number}?acceptance=T", UriKind.Relative) },
                Content = JsonContent.Create(body, options: ContractJson.Options),
            };
        }
    }
}
