using System.Net;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Load;

/// <summary>Step load without k6: one asynchronous loop for each user.</summary>
internal sealed class OwnDriver(HttpMessageInvoker http, TimeProvider clock) : ILoadDriver
{
    private readonly ResponseTally _tally = new();
    private DeliveryRequests _requests = DeliveryRequests.Load();
    private int _next,
        _inFlight;

    public string Name => "own";

    public TimeSpan Cpu => TimeSpan.Zero;

    public long? Accepted => _tally.Accepted;

    public async Task<LoadResult> RunAsync(LoadPlan plan, Action started, CancellationToken cancellationToken)
    {
        var startedAt = clock.GetUtcNow();
        var start = clock.GetTimestamp();
        started();
        _requests = DeliveryRequests.Load(plan.Profile.InstructionsLength);
        var users = Enumerable.Range(0, plan.Profile.MaxUsers);
        await Task.WhenAll(users.Select(user => RunUserAsync(plan, user, start, cancellationToken)));
        return _tally.ToResult(Name, startedAt);
    }

    private async Task RunUserAsync(LoadPlan plan, int user, long start, CancellationToken cancellationToken)
    {
        var pace = new UserPace(plan.Profile, plan.Seed, user);
        var due = TimeSpan.FromSeconds(plan.Profile.StartOf(user));
        var end = TimeSpan.FromSeconds(plan.Profile.DurationSeconds);
        var unanswered = new List<Task>();
        while (due < end)
        {
            await DelayUntilAsync(start, due, cancellationToken);
            due += pace.Next(); // from the due time, so lateness doesn't lower the rate
            unanswered.RemoveAll(task => task.IsCompletedSuccessfully);
            unanswered.Add(SendAsync(plan, cancellationToken));
            if (plan.Open)
                continue;
            await unanswered[^1];
            due = Later(due, clock.GetElapsedTime(start));
        }

        await Task.WhenAll(unanswered);
    }

    private async Task SendAsync(LoadPlan plan, CancellationToken cancellationToken)
    {
        try
        {
            if (Interlocked.Increment(ref _inFlight) > LoadPlan.MaxInFlight)
            {
                _tally.Dropped();
                return;
            }
            var number = Interlocked.Increment(ref _next);
            var address = new Uri(plan.Targets[number % plan.Targets.Count], "api/deliveryrequests");
            using var request = new HttpRequestMessage(HttpMethod.Post, address)
            {
                Content = _requests.Create($"{number}"),
            };
            var sent = clock.GetTimestamp();
            _tally.Sent();
            _tally.Answered(await StatusOfAsync(request, cancellationToken), clock.GetElapsedTime(sent));
        }
        finally
        {
            Interlocked.Decrement(ref _inFlight);
        }
    }

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
            return null; // HttpClient's own timeout
        }
    }

    private async Task DelayUntilAsync(long start, TimeSpan due, CancellationToken cancellationToken)
    {
        if (due - clock.GetElapsedTime(start) is { Ticks: > 0 } rest)
            await Task.Delay(rest, clock, cancellationToken);
    }

    private static TimeSpan Later(TimeSpan a, TimeSpan b) => a > b ? a : b;
}
