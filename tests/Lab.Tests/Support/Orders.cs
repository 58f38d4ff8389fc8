using System.Collections.Concurrent;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// Clients that order deliveries until they are stopped. They repeat each request until it returns 202, so every order
/// is accepted.
/// </summary>
internal sealed class Orders
{
    public const string Batch = "killed";

    private const int Callers = 4;
    private const double TooHeavy = 41;

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20),
        BeforeTheNextTry = TimeSpan.FromMilliseconds(100);
    private static readonly DateTimeOffset Pickup = new(2030, 1, 15, 9, 0, 0, TimeSpan.Zero);

    private readonly RunningApplication _running;
    private readonly ConcurrentQueue<Order> _accepted = new();
    private readonly Task _callers;
    private int _number;
    private volatile bool _stopped;

    public Orders(RunningApplication running)
    {
        _running = running;
        _callers = Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => CallAsync()));
    }

    public int Accepted => _accepted.Count;

    public static string OwnerOf(string batch) => $"owner-{batch}";

    public Task StopAsync()
    {
        _stopped = true;
        return _callers;
    }

    public async Task<IReadOnlyDictionary<Order, DeliveryStatus>> EndsAsync()
    {
        var ends = new Dictionary<Order, DeliveryStatus>();
        foreach (var order in _accepted)
            ends[order] = await EndOfAsync(order);
        return ends;
    }

    private async Task CallAsync()
    {
        while (!_stopped)
        {
            var number = Interlocked.Increment(ref _number);
            await OrderAsync($"{Batch}-{number}", KindOf(number));
            await Task.Delay(Pause, Cancel);
        }
    }

    private static OrderKind KindOf(int number) =>
        (number % 100) switch
        {
            7 => OrderKind.Refused,
            3 or 23 or 43 or 63 => OrderKind.Cancelled,
            13 or 33 or 53 or 73 => OrderKind.Rescheduled,
            _ => OrderKind.Delivered,
        };

    private async Task OrderAsync(string id, OrderKind kind)
    {
        var location = await AcceptedAsync(() =>
            new(HttpMethod.Post, Url(""))
            {
                Content = JsonContent.Create(
                    RequestOf(id, OwnerOf(Batch), Pickup, kind == OrderKind.Refused ? TooHeavy : 1.5),
                    options: ContractJson.Options
                ),
            }
        );
        _accepted.Enqueue(new(id, location!, kind));
        if (kind == OrderKind.Cancelled)
            await AcceptedAsync(() => new(HttpMethod.Delete, Url($"/{id}")));
        if (kind == OrderKind.Rescheduled)
        {
            await AcceptedAsync(() =>
                new(HttpMethod.Patch, Url($"/{id}"))
                {
                    Content = JsonContent.Create(
                        new RescheduleRequest { PickupTime = Pickup.AddHours(1) },
                        options: ContractJson.Options
                    ),
                }
            );
        }
    }

    private async Task<Uri?> AcceptedAsync(Func<HttpRequestMessage> create)
    {
        while (true)
        {
            try
            {
                using var request = create();
                using var response = await _running.Http.SendAsync(request, Cancel);
                if (response.StatusCode == HttpStatusCode.Accepted)
                    return response.Headers.Location;
                Assert.True(
                    response.StatusCode >= HttpStatusCode.InternalServerError,
                    $"{request.RequestUri} answered {response.StatusCode}."
                );
            }
            catch (HttpRequestException)
            {
                // The service was killed or is still starting.
            }
            await Task.Delay(BeforeTheNextTry, Cancel);
        }
    }

    private async Task<DeliveryStatus> EndOfAsync(Order order)
    {
        var location = new Uri(_running.Plan.Url(Service.Ingestion, 0), order.Location);
        using var response = await UntilAsync(
            () => _running.Http.GetAsync(location, Cancel),
            answer => answer.StatusCode == HttpStatusCode.OK
        );
        return (await response.Content.ReadFromJsonAsync<DeliveryStatus>(ContractJson.Options, Cancel))!;
    }

    private Uri Url(string path) => new(_running.Plan.Url(Service.Ingestion, 0), $"api/deliveryrequests{path}");

    public static DeliveryRequest RequestOf(string id, string ownerId, DateTimeOffset pickup, double weight) =>
        new()
        {
            DeliveryId = id,
            OwnerId = ownerId,
            PickupLocation = new() { Latitude = 47.6423, Longitude = -122.1391 },
            DropOffLocation = new() { Latitude = 47.6205, Longitude = -122.1812 },
            PickupTime = pickup,
            PackageInfo = new()
            {
                PackageId = $"package-{id}",
                Size = PackageSize.Small,
                Weight = weight,
            },
        };
}

internal sealed record Order(string Id, Uri Location, OrderKind Kind);

internal enum OrderKind
{
    Delivered,
    Refused,
    Cancelled,
    Rescheduled,
}
