using System.CommandLine;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

internal static class SharedOptions
{
    public static Option<string?> Environment(string otherwise) =>
        OptionOf.Text(
            "--environment",
            "NAME|FILE",
            "Environment: the name of a file in loadtest/environments, a file (.json) that `calibrate` wrote, or none. "
                + $"[default: {otherwise}]"
        );

    public static Option<string> Driver(string description, params string[] more)
    {
        var driver = new Option<string>("--driver")
        {
            Description = description,
            DefaultValueFactory = _ => LoadDrivers.Automatic,
        };
        driver.AcceptOnlyFromAmong([LoadDrivers.Automatic, LoadDrivers.K6, LoadDrivers.Own, .. more]);
        return driver;
    }

    public static Option<bool> Spoil() =>
        OptionOf.Flag(
            "--spoil",
            "Also show checks, predictions, and causes that are hidden until you answer the question about the stage (`./lab learn`)."
        );

    public static Option<int> PortOffset() =>
        OptionOf.WholeNumber(
            "--port-offset",
            0,
            0,
            Ports.MaxOffset,
            "Move all ports by N (broker 5672, services 5100 to 5619, live dashboard 5080, Redis 6390)."
        );
}
