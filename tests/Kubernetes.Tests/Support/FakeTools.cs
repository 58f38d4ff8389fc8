namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>A script that replaces tools on PATH.</summary>
internal sealed class FakeTools : IDisposable
{
    private FakeTools(string folder) => Folder = folder;

    public string Folder { get; }

    /// <summary>The PATH variable in which the script comes first.</summary>
    public KeyValuePair<string, string> Path =>
        KeyValuePair.Create("PATH", $"{Folder}:{Environment.GetEnvironmentVariable("PATH")}");

    /// <param name="names">The names of the script, which reads its name from <c>$0</c>.</param>
    public static async Task<FakeTools> CreateAsync(string script, params string[] names)
    {
        var fake = new FakeTools(Directory.CreateTempSubdirectory(names[0]).FullName);
        var files = names.Select(name => System.IO.Path.Combine(fake.Folder, name)).ToList();
        foreach (var file in files)
            await File.WriteAllTextAsync(file, script, TestContext.Current.CancellationToken);
        await Tool.RunAsync("chmod", ["+x", .. files]);
        return fake;
    }

    public void Dispose() => Directory.Delete(Folder, recursive: true);
}
