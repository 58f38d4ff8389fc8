namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// A file that is generated from the code, completely or in part. <c>UPDATE_DOCS=1</c> writes it before the comparison.
/// </summary>
internal static class GeneratedFile
{
    private const string Update =
        "UPDATE_DOCS=1 dotnet test --project tests/Lab.Tests -c Release --filter-namespace \"*.Documents\"";

    public static string Read(string path) => File.ReadAllText(Path.Combine(Repository.Root, path));

    public static void Check(string path, string expected)
    {
        if (Environment.GetEnvironmentVariable("UPDATE_DOCS") is "1")
            File.WriteAllText(Path.Combine(Repository.Root, path), expected);

        Assert.True(Read(path) == expected, $"{path} differs from the code. To update it: {Update}");
    }

    /// <summary>Checks the lines between two lines of a file.</summary>
    public static void CheckPart(string path, string begin, string end, string expected)
    {
        var text = Read(path);
        var from = text.IndexOf(begin + "\n", StringComparison.Ordinal);
        Assert.True(from >= 0, $"{path} lacks the line: {begin}");
        from += begin.Length + 1;
        var to = text.IndexOf(end, from, StringComparison.Ordinal);
        Assert.True(to >= 0, $"{path} lacks the line: {end}");
        Check(path, text[..from] + expected + text[to..]);
    }
}
