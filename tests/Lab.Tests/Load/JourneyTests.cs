using System.Collections.Concurrent;

namespace DroneDelivery.Lab.Tests.Load;

public sealed class JourneyTests
{
    private static readonly Uri Address = new("http://127.0.0.1:1/"),
        Other = new("http://127.0.0.1:2/");

    private static readonly TimeSpan MaxWait = TimeSpan.FromMinutes(2);

    [Fact]
    public async Task Delivery_is_polled_at_its_status_URL_until_it_is_recorded()
    {
        var asked = new ConcurrentQueue<string>();
        using var http = new HttpClient(
            new FakeIngestion(uri =>
            {
                asked.Enqueue(uri.PathAndQuery);
                return asked.Count < 3 ? new(HttpStatusCode.Accepted) : FakeIngestion.Recorded("d0");
            })
        );

        var journeys = await new Journeys(http, TimeProvider.System, [Address]).SendAsync(1, 1, MaxWait, Cancel);

        Assert.Equal(Enumerable.Repeat("/api/deliveryrequests/d0?acceptance=T", 3), asked);
        var journey = Assert.Single(journeys);
        Assert.Equal(("d0", DeliveryStage.Created, null), (journey.DeliveryId, journey.Status!.Stage, journey.Failure));
    }

    [Fact]
    public async Task Failed_or_rejected_delivery_has_a_failure()
    {
        using var http = new HttpClient(
            new FakeIngestion(uri =>
                uri.AbsolutePath[^1] == '0' ? FakeIngestion.Failed("d0", "no-drone") : FakeIngestion.Recorded("d1")
            )
            {
                Rejected = 2,
            }
        );

        var journeys = await new Journeys(http, TimeProvider.System, [Address]).SendAsync(3, 1, MaxWait, Cancel);

        Assert.Equal(["failed: no-drone", null, "rejected with 400"], journeys.Select(journey => journey.Failure));
    }

    [Fact]
    public async Task Delivery_not_recorded_in_time_has_a_failure()
    {
        var clock = new ManualTimeProvider();
        using var http = new HttpClient(new FakeIngestion(_ => new(HttpStatusCode.Accepted)));

        var sending = new Journeys(http, clock, [Address]).SendAsync(1, 1, TimeSpan.FromSeconds(20), Cancel);
        var journey = Assert.Single(await clock.AdvanceUntilAsync(sending, () => clock.PendingTimers == 2));

        Assert.Equal("not recorded within 20 s", journey.Failure);
    }

    [Fact]
    public async Task Status_is_found_when_one_replica_is_unavailable()
    {
        using var http = new HttpClient(
            new FakeIngestion(uri =>
                uri.Port == Other.Port ? FakeIngestion.Recorded("d0") : throw new HttpRequestException("refused")
            )
        );

        var journeys = await new Journeys(http, TimeProvider.System, [Address, Other]).SendAsync(1, 1, MaxWait, Cancel);

        Assert.NotNull(Assert.Single(journeys).Status);
    }

    /// <param name="status">The response to a GET.</param>
    private sealed class FakeIngestion(Func<Uri, HttpResponseMessage> status) : HttpMessageHandler
    {
        private int _posts = -1;

        /// <summary>The index of the rejected request; -1 for none.</summary>
        public int Rejected { get; init; } = -1;

        public static HttpResponseMessage Recorded(string id) =>
            Status(
                new()
                {
                    DeliveryId = id,
                    Stage = DeliveryStage.Created,
                    LastKnownLocation = new() { Latitude = 1, Longitude = 1 },
                    PickupEta = new(2030, 1, 1, 9, 0, 0, TimeSpan.Zero),
                    DeliveryEta = new(2030, 1, 1, 10, 0, 0, TimeSpan.Zero),
                    Events = [],
                }
            );

        public static HttpResponseMessage Failed(string id, string reason) =>
            Status(
                new()
                {
                    DeliveryId = id,
                    Stage = DeliveryStage.Failed,
                    Failure = new() { Reason = reason, Detail = "It cannot be done." },
                    Events = [],
                }
            );

        protected override async Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage message,
            CancellationToken cancellationToken
        )
        {
            if (message.Method != HttpMethod.Post)
                return status(message.RequestUri!);
            var number = Interlocked.Increment(ref _posts);
            if (number == Rejected)
                return new(HttpStatusCode.BadRequest);
            var sent = await message.Content!.ReadFromJsonAsync<DeliveryRequest>(
                ContractJson.Options,
                cancellationToken
            );
            var body = sent! with { DeliveryId = $"d{number}" };
            return new(HttpStatusCode.Accepted)
            {
                Headers = { Location = new Uri($"/api/deliveryrequests/d{number}?acceptance=T", UriKind.Relative) },
                Content = JsonContent.Create(body, options: ContractJson.Options),
            };
        }

        private static HttpResponseMessage Status(DeliveryStatus delivery) =>
            new(HttpStatusCode.OK) { Content = JsonContent.Create(delivery, options: ContractJson.Options) };
    }
}
