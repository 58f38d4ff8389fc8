namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>
/// A configuration with the queue <c>orders</c> and a rule for each right. The key of a rule is its name and "-key".
/// </summary>
internal sealed class RulesFile : IDisposable
{
    private const string Content = """
        { "UserConfig": { "Namespaces": [ {
            "Queues": [ { "Name": "orders" }, { "Name": "orders/north" } ],
            "AuthorizationRules": [
              { "Name": "listener", "Key": "listener-key", "Rights": [ "Listen" ] },
              { "Name": "sender", "Key": "sender-key", "Rights": [ "Send" ] },
              { "Name": "manager", "Key": "manager-key", "Rights": [ "Manage" ] } ] } ] } }
        """;

    /// <param name="content"><c>null</c> for the default configuration.</param>
    public RulesFile(string? content = null) => File.WriteAllText(Path, content ?? Content);

    public string Path { get; } = System.IO.Path.Combine(System.IO.Path.GetTempPath(), $"{Guid.NewGuid():N}.json");

    public void Dispose() => File.Delete(Path);
}
