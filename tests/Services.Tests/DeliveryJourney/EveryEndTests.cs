namespace DroneDelivery.Services.Tests.DeliveryJourney;

/// <summary>Whatever comes together, and wherever calls break: each request has one end, and nothing is left over.</summary>
public sealed class EveryEndTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Random_requests_changes_replays_and_crashes_leave_what_a_small_model_allows(int seed)
    {
        var (random, breaks) = (new Random(seed), true);
        await using var application = await ApplicationUnderTest.StartAsync(new BreakCalls((_, _) => Decide()));
        var play = new RandomJourneys(application, seed);

        await play.PlayAsync();
        breaks = false;
        await application.QuietAsync();

        await play.AssertEndsAsync();

        CallEnd Decide()
        {
            lock (random)
            {
                return (breaks ? random.Next(20) : 20) switch
                {
                    0 => CallEnd.NeverArrives,
                    1 => CallEnd.AnswerIsLost,
                    _ => CallEnd.Answered,
                };
            }
        }
    }
}
