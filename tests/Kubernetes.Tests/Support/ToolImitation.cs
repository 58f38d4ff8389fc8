namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>A script that a program finds on PATH in place of tools.</summary>
internal sealed class ToolImitation : IDisposable
{
    private ToolImitation(string folder) => Folder = folder;

    public string Folder { get; }

    /// <summary>The variable with which it is found first.</summary>
    public KeyValuePair<string, string> Path =>
        KeyValuePair.Create("PATH", $"{Folder}:{Environment.GetEnvironmentVariable("PATH")}");

    /// <param name="names">What it is called; it finds its name in <c>$0</c>.</param>
    public static async Task<ToolImitation> CreateAsync(string script, params string[] names)
    {
        var imitation = new ToolImitation(Directory.CreateTempSubdirectory(names[0]).FullName);
        var files = names.Select(name => System.IO.Path.Combine(imitation.Folder, name)).ToList();
        foreach (var file in files)
            await File.WriteAllTextAsync(file, script, TestContext.Current.CancellationToken);
        await Tool.RunAsync("chmod", ["+x", .. files]);
        return imitation;
    }

    public void Dispose() => Directory.Delete(Folder, recursive: true);
}
