namespace DroneDelivery.Lab.Tests.Support;

internal static class ThisTest
{
    /// <summary>Every wait in these tests ends, at the latest, with the test.</summary>
    public static CancellationToken Cancel => TestContext.Current.CancellationToken;
}
