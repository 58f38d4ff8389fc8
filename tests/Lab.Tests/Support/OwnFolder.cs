namespace DroneDelivery.Lab.Tests.Support;

/// <summary>A folder of the test's own, which ends with it.</summary>
internal sealed class OwnFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("lab-test").FullName;

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
