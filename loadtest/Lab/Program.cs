using DroneDelivery.Lab.Commands;

return (int)await LabCommand.RunAsync(args, Terminal.Open());
