using System.Globalization;

namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>
/// Compares a queue and its sessions with a model after random operations. MODEL_SEQUENCES=20000 runs longer.
/// </summary>
public sealed class ModelTests
{
    private const int Operations = 60;

    private static int Sequences =>
        int.Parse(Environment.GetEnvironmentVariable("MODEL_SEQUENCES") ?? "300", CultureInfo.InvariantCulture);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Queue_matches_its_model_after_random_operations(bool hasSessions)
    {
        for (var seed = 1; seed <= Sequences; seed++)
        {
            using var sequence = RandomUse.Of(hasSessions, seed);
            sequence.Run(Operations);
        }
    }
}
