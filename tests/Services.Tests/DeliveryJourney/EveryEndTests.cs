namespace DroneDelivery.Services.Tests.DeliveryJourney;

/// <summary>
/// Each request reaches exactly one terminal state and leaves nothing else behind, regardless of concurrency and failed
/// calls.
/// </summary>
public sealed class EveryEndTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Random_requests_and_failures_match_the_model(int seed)
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
