using System.Globalization;
using System.Net;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>
/// Sends random requests for a few deliveries, including conflicting and too heavy ones, cancels, reschedules, early
/// confirmations without effect, and replays, and resends failed requests as an operator does. Afterward, the stores
/// must be consistent with the accepted requests.
/// </summary>
internal sealed class RandomJourneys(ApplicationUnderTest application, int seed)
{
    private const int Ids = 12;
    private const int Steps = 90;
    private const int AtATime = 6;
    private const double TooHeavy = 41;

    private readonly Random _random = new(seed);

    /// <summary>The requests that were accepted for each id, by package.</summary>
    private readonly Dictionary<string, Dictionary<string, DeliveryRequest>> _accepted = [];

    private readonly HashSet<string> _cancelled = [];

    public async Task PlayAsync()
    {
        for (var step = 0; step < Steps; step += AtATime)
            await Task.WhenAll(Enumerable.Range(0, AtATime).Select(_ => NextStep()));
    }

    public async Task AssertEndsAsync()
    {
        var flights = new List<DroneAssignment>();
        foreach (var (id, requests) in _accepted)
        {
            var status = await application.Delivery.GetAsync<DeliveryStatus>($"/api/deliveries/{id}/status");
            var recorded = status.Stage == DeliveryStage.Failed ? null : await AssertWholeAsync(id, requests, status);
            if (recorded is { Cancelled: false })
                flights.Add(recorded);
            if (recorded is null)
                await AssertAbsentAsync(application.DroneScheduler, $"/api/dronedeliveries/{id}");
            var kept = recorded is null
                ? null
                : (await application.Delivery.GetAsync<DeliveryDetails>($"/api/deliveries/{id}")).PackageId;
            foreach (var other in requests.Keys.Where(package => package != kept))
                await AssertAbsentAsync(application.Package, $"/api/packages/{other}");
        }
        Interleavings.AssertNoOverlap(flights, seed);
        Assert.Equal(flights.Count, await application.BookedFlightsAsync());
        await AssertKeysAsync();
    }

    private Func<Task> NextStepOf(string id) =>
        _random.Next(10) switch
        {
            < 5 => RequestOf(id),
            5 => () => SendAsync(HttpMethod.Delete, id),
            6 => () =>
                application.Ingestion.PatchAsync(
                    $"/api/deliveryrequests/{id}",
                    new RescheduleRequest { PickupTime = RandomTime() }
                ),
            7 => () => ConfirmTooEarlyAsync(id),
            _ => SendOneAgainAsync,
        };

    private Task NextStep()
    {
        var id = $"order-{_random.Next(Ids)}";
        // A change of an unknown delivery would wait for minutes.
        return _accepted.ContainsKey(id) ? NextStepOf(id)() : RequestOf(id)();
    }

    /// <summary>
    /// Returns one of three contents for an id: a delivery, another one, or one that no drone can carry.
    /// </summary>
    private Func<Task> RequestOf(string id)
    {
        var content = _random.Next(6) switch
        {
            < 4 => 0,
            4 => 1,
            _ => 2,
        };
        var request = SampleRequests.Delivery(id);
        request = request with
        {
            ConfirmationRequired = ConfirmationType.None,
            PackageInfo = request.PackageInfo with
            {
                PackageId = $"package-{id}-{content}",
                Weight = content == 2 ? TooHeavy : 2.5 + content,
            },
        };
        if (!_accepted.TryGetValue(id, out var contents))
            _accepted[id] = contents = [];
        contents[request.PackageInfo.PackageId] = request;
        return () => application.RequestAsync(request);
    }

    private async Task SendAsync(HttpMethod method, string id)
    {
        _cancelled.Add(id);
        using var response = await application.Ingestion.SendAsync(method, $"/api/deliveryrequests/{id}");
        Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
    }

    private async Task ConfirmTooEarlyAsync(string id)
    {
        using var response = await application.Delivery.PostAsync(
            $"/api/deliveries/{id}/confirmations",
            Confirmation()
        );
        Assert.NotEqual(HttpStatusCode.OK, response.StatusCode);
    }

    /// <summary>Resends a failed delivery as an operator does, and removes other failed messages.</summary>
    private async Task SendOneAgainAsync()
    {
        if (
            await application.Queue.TryTakeFailedAsync() is { } failed
            && failed.ApplicationProperties[QueueMessage.OperationProperty] is QueueMessage.Delivery
        )
        {
            var attempt = failed.ApplicationProperties.GetValueOrDefault(QueueMessage.AttemptProperty) as int? ?? 0;
            await application.Queue.SendAsync(QueueMessages.Again(failed, attempt + 1));
        }
    }

    private async Task<DroneAssignment> AssertWholeAsync(
        string id,
        Dictionary<string, DeliveryRequest> requests,
        DeliveryStatus status
    )
    {
        var delivery = await application.Delivery.GetAsync<DeliveryDetails>($"/api/deliveries/{id}");
        var request = requests[delivery.PackageId];
        Assert.True(
            request.PackageInfo.Weight < TooHeavy,
            $"{id} has the wrong weight, {request.PackageInfo.Weight} kg, seed {seed}."
        );
        var package = await application.Package.GetAsync<PackageDetails>($"/api/packages/{delivery.PackageId}");
        Assert.Equal(request.PackageInfo.Weight, package.Weight);
        var drone = await application.DroneScheduler.GetAsync<DroneAssignment>($"/api/dronedeliveries/{id}");
        // A reschedule that meets a concurrent cancel may have changed only the drone.
        if (status.Stage is DeliveryStage.Created or DeliveryStage.Rescheduled)
            Assert.Equal((drone.DroneId, drone.FlightPlan), (delivery.DroneId, delivery.FlightPlan));
        Assert.True(
            drone.Cancelled == (status.Stage == DeliveryStage.Cancelled),
            $"{id} is {status.Stage}, and its drone's flight is {(drone.Cancelled ? "" : "not ")}cancelled, seed {seed}."
        );
        Assert.True(
            status.Stage != DeliveryStage.Cancelled || _cancelled.Contains(id),
            $"{id} was never canceled, seed {seed}."
        );
        return drone;
    }

    /// <summary>Redis must contain keys of the requested ids and of no others.</summary>
    private async Task AssertKeysAsync()
    {
        foreach (var id in Enumerable.Range(0, Ids).Select(i => $"order-{i}").Where(id => !_accepted.ContainsKey(id)))
            Assert.Equal("0", await application.RedisAsync($"EXISTS delivery:{id}"));
        var counted = 0;
        foreach (var id in _accepted.Keys)
        {
            var status = await application.Delivery.GetAsync<DeliveryStatus>($"/api/deliveries/{id}/status");
            counted += status.Stage is DeliveryStage.Failed or DeliveryStage.Cancelled ? 0 : 1;
        }
        var months = await Task.WhenAll(
            new[] { 1, 2 }.Select(month => application.RedisAsync($"SCARD owner:owner-1:2030-{month:00}"))
        );
        Assert.Equal(counted, months.Sum(month => int.Parse(month, CultureInfo.InvariantCulture)));
    }

    private async Task AssertAbsentAsync(HttpClient service, string path)
    {
        using var response = await service.SendAsync(HttpMethod.Get, path);
        Assert.True(
            response.StatusCode == HttpStatusCode.NotFound,
            $"{path} returned {response.StatusCode}, seed {seed}."
        );
    }

    private DateTimeOffset RandomTime() =>
        new DateTimeOffset(2030, 1, 31, 12, 0, 0, TimeSpan.Zero).AddHours(_random.Next(48));

    private static DeliveryConfirmation Confirmation() =>
        new()
        {
            Time = new(2030, 1, 31, 14, 0, 0, TimeSpan.Zero),
            GeoCoordinates = new() { Latitude = 47.6, Longitude = -122.3 },
            ConfirmationType = ConfirmationType.Picture,
        };
}
