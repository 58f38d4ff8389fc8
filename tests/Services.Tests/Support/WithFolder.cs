namespace DroneDelivery.Services.Tests.Support;

/// <summary>Tests with a folder each, which goes with them.</summary>
public abstract class WithFolder : IDisposable
{
    private protected TemporaryFolder Folder { get; } = new();

    public void Dispose()
    {
        Folder.Dispose();
        GC.SuppressFinalize(this);
    }
}
