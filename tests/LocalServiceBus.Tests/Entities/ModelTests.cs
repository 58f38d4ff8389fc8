using System.Globalization;

namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>Random operations on a queue and on sessions: everything is where a model has it. MODEL_SEQUENCES=20000 for a long
/// run.</summary>
public sealed class ModelTests
{
    private const int Operations = 60;

    private static int Sequences =>
        int.Parse(Environment.GetEnvironmentVariable("MODEL_SEQUENCES") ?? "300", CultureInfo.InvariantCulture);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_queue_holds_what_the_model_says(bool hasSessions)
    {
        for (var seed = 1; seed <= Sequences; seed++)
        {
            using var sequence = RandomUse.Of(hasSessions, seed);
            sequence.Play(Operations);
        }
    }
}
