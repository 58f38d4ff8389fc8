namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>A script that a program finds on PATH in place of a tool.</summary>
internal sealed class ToolImitation : IDisposable
{
    private ToolImitation(string folder) => Folder = folder;

    /// <summary>Where it is; it may leave files there.</summary>
    public string Folder { get; }

    /// <summary>The variable with which it is found first.</summary>
    public KeyValuePair<string, string> Path => KeyValuePair.Create("PATH", $"{Folder}:{Environment.GetEnvironmentVariable("PATH")}");

    public static async Task<ToolImitation> CreateAsync(string name, string script)
    {
        var imitation = new ToolImitation(Directory.CreateTempSubdirectory(name).FullName);
        var file = System.IO.Path.Combine(imitation.Folder, name);
        await File.WriteAllTextAsync(file, script, TestContext.Current.CancellationToken);
        await Tool.RunAsync("chmod", ["+x", file]);
        return imitation;
    }

    public void Dispose() => Directory.Delete(Folder, recursive: true);
}
