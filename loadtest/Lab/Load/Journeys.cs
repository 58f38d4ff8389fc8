using System.Collections.Concurrent;
using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using DroneDelivery.Contracts;

namespace DroneDelivery.Lab.Load;

/// <summary>Sends deliveries as a client does, and follows the Location of each answer until the delivery is recorded.</summary>
internal sealed class Journeys(HttpClient http, TimeProvider clock, IReadOnlyList<Uri> ingestion)
{
    // A delivery that takes seconds is not asked for each millisecond.
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(5),
        LongestPause = TimeSpan.FromMilliseconds(200);

    /// <summary>As many as Ingestion's own limit on calls to Delivery: more would be refused.</summary>
    private const int FollowedAtATime = 100;

    private readonly DeliveryRequests _requests = DeliveryRequests.Load();
    private readonly string _batch = $"{clock.GetUtcNow().ToUnixTimeMilliseconds():x}";
    private readonly ConcurrentQueue<Journey> _ended = [];
    private int _sent;

    /// <summary>Those that are over, also while others are under way.</summary>
    public IReadOnlyCollection<Journey> Ended => _ended;

    public int Sent => Volatile.Read(ref _sent);

    /// <param name="callers">
    /// Deliveries under way at a time, as long as some arrive. When none has for a quarter of <paramref name="patience"/>, the rest is sent
    /// without waiting for them: timeouts pass side by side instead of one after the other.
    /// </param>
    /// <param name="patience">How long a delivery may take from the request to its end.</param>
    public async Task<IReadOnlyList<Journey>> SendAsync(
        int count,
        int callers,
        TimeSpan patience,
        CancellationToken cancellationToken
    )
    {
        using var places = new Places(callers, patience / 4, clock);
        using var atATime = new Limits(callers);
        var underWay = new List<Task<Journey>>(count);
        try
        {
            for (var number = 0; number < count; number++)
            {
                underWay.Add(
                    TravelAsync(number, await places.TakeAsync(cancellationToken), atATime, patience, cancellationToken)
                );
            }
        }
        finally
        {
            await Task.WhenAll(underWay.Cast<Task>()).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        return await Task.WhenAll(underWay);
    }

    private async Task<Journey> TravelAsync(
        int number,
        Places.Place place,
        Limits atATime,
        TimeSpan patience,
        CancellationToken cancellationToken
    )
    {
        await atATime.Posted.WaitAsync(cancellationToken);
        Interlocked.Increment(ref _sent);
        var start = clock.GetTimestamp();
        using var timeout = new CancellationTokenSource(patience, clock);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token);
        var accepted = await RequestAsync(number, atATime, both.Token);
        cancellationToken.ThrowIfCancellationRequested();
        var journey = accepted.Location is { } location
            ? await FollowAsync(accepted.DeliveryId!, location, number, start, patience, atATime, both.Token)
            : accepted.Journey;
        cancellationToken.ThrowIfCancellationRequested();
        _ended.Enqueue(journey);
        place.Leave(journey.Status is not null);
        return journey;
    }

    /// <returns>Where to follow the delivery; otherwise why it was not accepted.</returns>
    private async Task<(string? DeliveryId, Uri? Location, Journey Journey)> RequestAsync(
        int number,
        Limits atATime,
        CancellationToken cancellationToken
    )
    {
        try
        {
            using var body = _requests.Create($"{_batch}-{number}");
            using var response = await http.PostAsync(
                new Uri(ingestion[number % ingestion.Count], "api/deliveryrequests"),
                body,
                cancellationToken
            );
            if (response is not { StatusCode: HttpStatusCode.Accepted, Headers.Location: { } location })
            {
                return (
                    null,
                    null,
                    Journey.Failed(null, $"refused with {await DescribeAsync(response, cancellationToken)}")
                );
            }

            var request = await response.Content.ReadFromJsonAsync<DeliveryRequest>(
                ContractJson.Options,
                cancellationToken
            );
            return (request!.DeliveryId, location, Journey.Failed(request.DeliveryId, "accepted"));
        }
        catch (Exception exception) when (exception is HttpRequestException or OperationCanceledException)
        {
            return (null, null, Journey.Failed(null, NoAnswer(exception)) with { IsAnswered = false });
        }
        finally
        {
            atATime.Posted.Release();
        }
    }

    private async Task<Journey> FollowAsync(
        string id,
        Uri location,
        int number,
        long start,
        TimeSpan patience,
        Limits atATime,
        CancellationToken cancellationToken
    )
    {
        var answer = "not asked yet";
        try
        {
            for (var pause = FirstPause; ; pause = pause * 2 > LongestPause ? LongestPause : pause * 2)
            {
                // Another replica each time: one that is gone must not hide the delivery.
                var url = new Uri(ingestion[number++ % ingestion.Count], location);
                (var status, answer, var isFinal) = await AskAsync(url, answer, atATime, cancellationToken);
                if (status is not null)
                    return new(id, status, clock.GetElapsedTime(start), url, FailureOf(status));
                if (isFinal)
                    return Journey.Failed(id, $"accepted, then {answer}");
                await Task.Delay(pause, clock, cancellationToken);
            }
        }
        catch (OperationCanceledException)
        {
            return Journey.Failed(
                id,
                $"accepted, but not recorded within {patience.TotalSeconds:0} s; the last answer was {answer}"
            );
        }
    }

    /// <returns>The status, once there is one; otherwise what was answered, and whether asking again is in vain.</returns>
    private async Task<(DeliveryStatus? Status, string Answer, bool IsFinal)> AskAsync(
        Uri url,
        string before,
        Limits atATime,
        CancellationToken cancellationToken
    )
    {
        await atATime.Followed.WaitAsync(cancellationToken);
        try
        {
            using var response = await http.GetAsync(url, cancellationToken);
            if (response.StatusCode == HttpStatusCode.OK)
            {
                return (
                    await response.Content.ReadFromJsonAsync<DeliveryStatus>(ContractJson.Options, cancellationToken),
                    "200",
                    true
                );
            }

            var isFinal =
                response.StatusCode
                is >= HttpStatusCode.BadRequest
                    and < HttpStatusCode.InternalServerError
                    and not HttpStatusCode.NotFound;
            return (null, await DescribeAsync(response, cancellationToken), isFinal);
        }
        catch (HttpRequestException exception)
        {
            return (null, NoAnswer(exception), false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return (null, before, false); // HttpClient's own timeout
        }
        finally
        {
            atATime.Followed.Release();
        }
    }

    private static string? FailureOf(DeliveryStatus status) =>
        status.Stage == DeliveryStage.Failed
            ? $"accepted, then failed: {status.Failure?.Reason ?? "no reason is told"}"
            : null;

    /// <summary>The same words for the same cause, so that causes can be counted.</summary>
    private static string NoAnswer(Exception exception) =>
        exception is HttpRequestException
            ? $"no answer ({exception.Message.Split('\n', '(')[0].TrimEnd(' ', '.')})"
            : "no answer in time";

    // 202 and 404 say all there is to say; a problem has a title.
    private static async Task<string> DescribeAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        if (response.Content.Headers.ContentType?.MediaType != "application/problem+json")
            return $"{(int)response.StatusCode}";
        var problem = await response.Content.ReadFromJsonAsync<JsonElement>(cancellationToken);
        return problem.TryGetProperty("title", out var title)
            ? $"{(int)response.StatusCode} {title}"
            : $"{(int)response.StatusCode}";
    }

    /// <summary>Requests under way at a time, also once nobody waits for a place any more.</summary>
    private sealed class Limits(int callers) : IDisposable
    {
        public SemaphoreSlim Posted { get; } = new(callers);

        public SemaphoreSlim Followed { get; } = new(FollowedAtATime);

        public void Dispose()
        {
            Posted.Dispose();
            Followed.Dispose();
        }
    }
}

/// <param name="Took">From the request to the answer with the status.</param>
/// <param name="Failure">Why there is no delivery; otherwise null.</param>
internal sealed record Journey(string? DeliveryId, DeliveryStatus? Status, TimeSpan Took, Uri? Url, string? Failure)
{
    /// <summary>False: Ingestion did not answer the request.</summary>
    public bool IsAnswered { get; init; } = true;

    public static Journey Failed(string? deliveryId, string why) => new(deliveryId, null, default, null, why);
}
