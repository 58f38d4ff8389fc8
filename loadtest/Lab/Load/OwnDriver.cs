using System.Globalization;
using System.Net;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Load;

/// <summary>Step load without k6: one asynchronous loop for each user.</summary>
internal sealed class OwnDriver(HttpMessageInvoker http, TimeProvider clock) : ILoadDriver
{
    private readonly AnswerTally _tally = new();
    private DeliveryRequests _requests = DeliveryRequests.Load();
    private int _next;

    public string Name => "own";

    public TimeSpan Cpu => TimeSpan.Zero;

    public long? Accepted => _tally.Accepted;

    public async Task<LoadResult> RunAsync(LoadPlan plan, Action started, CancellationToken cancellationToken)
    {
        var startedAt = clock.GetUtcNow();
        var start = clock.GetTimestamp();
        started();
        _requests = DeliveryRequests.Load(plan.Profile.InstructionsLength);
        using var places = new SemaphoreSlim(LoadPlan.MaxInFlight);
        var users = Enumerable.Range(0, plan.Profile.MaxUsers);
        await Task.WhenAll(users.Select(user => RunUserAsync(plan, user, start, places, cancellationToken)));
        return _tally.ToResult(Name, startedAt);
    }

    private async Task RunUserAsync(LoadPlan plan, int user, long start, SemaphoreSlim places, CancellationToken cancellationToken)
    {
        var pace = new UserPace(plan.Profile, plan.Seed, user);
        var due = TimeSpan.FromSeconds(plan.Profile.StartOf(user));
        var end = TimeSpan.FromSeconds(plan.Profile.DurationSeconds);
        var unanswered = new List<Task>();
        while (due < end)
        {
            await DelayUntilAsync(start, due, cancellationToken);
            due += pace.Next(); // from when it was due, not from when the timer came: lateness must not lower the rate
            if (plan.Open)
                SendWithoutWaiting();
            else
                await SendAsync(plan, cancellationToken);
            if (!plan.Open)
                due = Later(due, clock.GetElapsedTime(start));
        }

        await Task.WhenAll(unanswered);

        void SendWithoutWaiting()
        {
            unanswered.RemoveAll(task => task.IsCompletedSuccessfully);
            if (places.Wait(0, cancellationToken))
                unanswered.Add(SendAsync(plan, places, cancellationToken));
            else
                _tally.Dropped();
        }
    }

    private async Task SendAsync(LoadPlan plan, SemaphoreSlim places, CancellationToken cancellationToken)
    {
        try
        {
            await SendAsync(plan, cancellationToken);
        }
        finally
        {
            places.Release();
        }
    }

    private async Task SendAsync(LoadPlan plan, CancellationToken cancellationToken)
    {
        var number = Interlocked.Increment(ref _next);
        var address = new Uri(plan.Targets[number % plan.Targets.Count], "api/deliveryrequests");
        using var request = new HttpRequestMessage(HttpMethod.Post, address)
        {
            Content = _requests.Create(number.ToString(CultureInfo.InvariantCulture)),
        };
        var sent = clock.GetTimestamp();
        _tally.Sent();
        _tally.Answered(await StatusOfAsync(request, cancellationToken), clock.GetElapsedTime(sent));
    }

    /// <returns>Null: no answer.</returns>
    private async Task<HttpStatusCode?> StatusOfAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        try
        {
            using var response = await http.SendAsync(request, cancellationToken);
            return response.StatusCode;
        }
        catch (HttpRequestException)
        {
            return null;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return null; // HttpClient's own time-out
        }
    }

    private async Task DelayUntilAsync(long start, TimeSpan due, CancellationToken cancellationToken)
    {
        if (due - clock.GetElapsedTime(start) is { Ticks: > 0 } rest)
            await Task.Delay(rest, clock, cancellationToken);
    }

    private static TimeSpan Later(TimeSpan a, TimeSpan b) => a > b ? a : b;
}
