using DroneDelivery.Lab.Commands;

return await LabCommand.RunAsync(args);
