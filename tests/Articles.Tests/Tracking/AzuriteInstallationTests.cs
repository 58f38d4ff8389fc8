using System.Collections.Concurrent;
using DroneDelivery.Articles.TrackingPixel;
using DroneDelivery.Lab;

namespace DroneDelivery.Articles.Tests.Tracking;

/// <summary>Uses fakes of node and npm: nothing is downloaded.</summary>
public sealed class AzuriteInstallationTests : IDisposable
{
    private const string Node = "echo v22.11.0",
        Npm =
            "echo started >> ../started; mkdir -p node_modules/azurite/dist/src/table; touch node_modules/azurite/dist/src/table/main.js";

    private readonly string _folder = Directory.CreateTempSubdirectory("azurite-test").FullName;
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
    public async Task Pinned_version_is_installed_once()
    {
        await EnsureAsync();
        await EnsureAsync();

        Assert.Equal(1, TimesStarted);
        Assert.Equal(2, _said.Count);
        Assert.StartsWith("Installing Azurite with npm, once", _said.First(), StringComparison.Ordinal);
        Assert.True(File.Exists(Path.Combine(Installed, "package-lock.json")));
    }

    [Fact]
    public async Task Other_version_is_replaced_with_the_pinned_one()
    {
        await EnsureAsync();
        await File.WriteAllTextAsync(Path.Combine(Installed, "installed"), "of another lock file", Cancelled);

        await EnsureAsync();

        Assert.Equal(2, TimesStarted);
    }

    [Fact]
    public async Task Concurrent_processes_install_once()
    {
        Add("npm", "sleep 0.3; " + Npm);

        await Task.WhenAll(EnsureAsync(), EnsureAsync(), EnsureAsync());

        Assert.Equal(1, TimesStarted);
    }

    [Theory]
    [InlineData("node")]
    [InlineData("npm")]
    public void Missing_program_is_named_with_its_install_command(string program)
    {
        _programs.Remove(program);

        var missing = Assert.Throws<MissingProgramException>(Installation.RequirePrograms);

        Assert.Matches($"^{program} is not on PATH.*`apt install npm`", missing.Message);
    }

    [Fact]
    public async Task Failed_installation_names_its_log_and_is_repeated()
    {
        Add("npm", "exit 7");

        var failure = await Assert.ThrowsAsync<LabException>(EnsureAsync);

        Assert.StartsWith(
            "Azurite could not be installed: npm ended with exit code 7. Its log: ",
            failure.Message,
            StringComparison.Ordinal
        );
        Add("npm", Npm);
        await EnsureAsync();
        Assert.Equal(1, TimesStarted);
    }

    private AzuriteInstallation Installation => new(Installed, _programs.GetValueOrDefault);

    private Task EnsureAsync() => Installation.EnsureAsync(_said.Enqueue, Cancelled);

    private void Add(string program, string script)
    {
        var file = Path.Combine(_folder, program);
        Script.Write(file, $"#!/bin/sh\n{script}\n");
        _programs[program] = file;
    }
}
