namespace DroneDelivery.Testing;

/// <summary>A folder of the test's own, which ends with it.</summary>
public sealed class OwnFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("test-").FullName;

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
