using System.Collections.Concurrent;

namespace DroneDelivery.Lab.Tests.Processes;

/// <summary>With programs that stand in for node and npm: nothing is downloaded.</summary>
public sealed class AzuriteInstallationTests : IDisposable
{
    private const string Node = "echo v22.11.0",
        Npm =
            "echo started >> ../started; mkdir -p node_modules/azurite/dist/src/table; touch node_modules/azurite/dist/src/table/main.js";

    private readonly string _folder = Directory.CreateTempSubdirectory("lab-test").FullName;
    private readonly Dictionary<string, string> _programs = [];
    private readonly ConcurrentQueue<string> _said = new();

    public AzuriteInstallationTests()
    {
        Add("node", Node);
        Add("npm", Npm);
    }

    private string Installed => Path.Combine(_folder, "azurite");

    private string Starts => Path.Combine(_folder, "started");

    private int TimesStarted => File.Exists(Starts) ? File.ReadLines(Starts).Count() : 0;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task It_is_installed_once_and_says_so_and_another_version_than_the_pinned_one_is_replaced()
    {
        var node = await EnsureAsync();
        _programs.Remove("npm"); // nobody needs it any more

        Assert.Equal((_programs["node"], _programs["node"], 1), (node, await EnsureAsync(), TimesStarted));
        Assert.Equal(2, _said.Count);
        Assert.StartsWith("Installing Azurite with npm, once", _said.First(), StringComparison.Ordinal);
        Assert.StartsWith("Azurite is installed, after ", _said.Last(), StringComparison.Ordinal);
        Assert.True(File.Exists(Path.Combine(Installed, "package-lock.json")));
        await File.WriteAllTextAsync(Path.Combine(Installed, "installed"), "of another lock file", Cancel);
        Add("npm", Npm);
        await EnsureAsync();
        Assert.Equal(2, TimesStarted);
    }

    [Fact]
    public async Task Labs_that_start_at_the_same_time_install_it_once()
    {
        Add("npm", "sleep 0.3; " + Npm);

        await Task.WhenAll(EnsureAsync(), EnsureAsync(), EnsureAsync());

        Assert.Equal(1, TimesStarted);
    }

    [Fact]
    public async Task What_was_interrupted_ends_npm_and_begins_anew()
    {
        Add("npm", "echo $$ > ../process; exec sleep 600");
        using var interrupt = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var first = EnsureAsync(interrupt.Token);
        var file = Path.Combine(_folder, "process");
        await UntilAsync(() => File.Exists(file) && File.ReadAllText(file).Length > 1);

        await interrupt.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        Assert.False(IsRunning(int.Parse(await File.ReadAllTextAsync(file, Cancel))));
        Add("npm", Npm);
        await EnsureAsync();
        Assert.Equal(1, TimesStarted);
    }

    [Theory]
    [InlineData("node", null, "^node is not on PATH.*`apt install npm`")]
    [InlineData("npm", null, "^npm is not on PATH.*`apt install npm`")]
    [InlineData("node", "echo v18.19.0", @"^Azurite needs Node\.js 20 or newer, and .* is version 18\. ")]
    public async Task What_is_missing_or_too_old_is_named_with_the_way_to_install_it(
        string program,
        string? script,
        string message
    )
    {
        _programs.Remove(program);
        if (script is not null)
            Add(program, script);

        Assert.Matches(message, await FailureAsync());
        Assert.Equal((0, 0), (TimesStarted, _said.Count));
    }

    [Fact]
    public async Task Of_a_failure_npm_s_own_reason_is_told_and_it_is_tried_again()
    {
        Add(
            "npm",
            "echo npm error code ECONNREFUSED; echo npm error errno -111; echo npm error request to the registry failed; exit 7"
        );

        var message = await FailureAsync();

        Assert.StartsWith(
            "Azurite could not be installed: npm ended with exit code 7 (request to the registry failed). Its log: ",
            message,
            StringComparison.Ordinal
        );
        Assert.DoesNotContain('\n', message);
        Add("npm", Npm);
        await EnsureAsync();
        Assert.Equal(1, TimesStarted);
    }

    private Task<string> EnsureAsync(CancellationToken? cancellationToken = null) =>
        new AzuriteInstallation(Installed, _programs.GetValueOrDefault).EnsureAsync(
            _said.Enqueue,
            cancellationToken ?? Cancel
        );

    private async Task<string> FailureAsync() =>
        (await Assert.ThrowsAnyAsync<LabException>(() => EnsureAsync())).Message;

    private void Add(string program, string script)
    {
        var file = Path.Combine(_folder, program);
        Script.Write(file, $"#!/bin/sh\n{script}\n");
        _programs[program] = file;
    }
}
