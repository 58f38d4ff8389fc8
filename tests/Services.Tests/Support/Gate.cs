namespace DroneDelivery.Services.Tests.Support;

/// <summary>Holds calls to Package until the test opens it: the way to see a handler at work.</summary>
internal sealed class Gate
{
    private readonly TaskCompletionSource _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Open() => _opened.TrySetResult();

    public async Task<int?> HoldAsync(FakeBackends.Call call)
    {
        if (call.Path.StartsWith("/api/packages/", StringComparison.Ordinal))
            await _opened.Task;
        return null;
    }
}
